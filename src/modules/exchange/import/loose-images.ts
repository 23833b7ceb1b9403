import { datasetNotFound, type FormatInfo } from '../../../engines/annotations/formats/format.js';
import { isPointCloud, mediaKind } from '../../../shared/media-kind.js';

/** Folders that other tools give to the images of a subset. */
const SUBSET = /^(?:train|training|val|valid|validation|test|testing|trainval|dev)(?:[-_]?\d+)?$/i;
/** Folders of images that are no part of their names. */
const CONTAINER = /^(?:images?|imgs?|data|jpegimages|frames|photos|obj)$/i;
/** Folders and names of masks. */
const MASKS =
  /(?:^|\/)(?:annotations?|segmentation(?:class|object)|masks?|[^/]+annot|gtfine|instances?|semantic(?:_rgb)?|panoptic_[^/]+|labels?)\/|_(?:gt|mask|color|instanceIds|labelIds)\.\w+$/i;

/** An image that is not where its format has images. */
export interface LooseImage {
  readonly path: string;
  readonly subset: string;
  /** In the task. */
  readonly name: string;
  /** By which annotations of the whole archive find it. */
  readonly uniqueName: string;
}

/**
 * Finds images in layouts of other tools, such as `train2017/a.jpg`, `train/a.jpg` next to `train/a.xml`, and
 * `images/a.jpg` with `labels/a.txt`.
 * @param withoutSubset the name of the subset of other images
 * @throws FormatError if there are none
 */
export function looseImages(paths: readonly string[], info: FormatInfo, withoutSubset: string): LooseImage[] {
  const media = paths.filter((path) => mediaKind(path) === 'image');
  const isWanted = (path: string): boolean => isPointCloud(path) === (info.dimension === '3d') && !MASKS.test(path);
  const wanted = media.filter(isWanted);
  if (wanted.length === 0) throw datasetNotFound(absence(info, media.length));
  const found = wanted.map((path) => ({ path, ...placeOf(path, withoutSubset) }));
  const common = commonFolders(found.map(({ name }) => name));
  const named = found.map((image) => ({ ...image, name: image.name.slice(common.length) }));
  const inSubset = counts(named.map(({ subset, name }) => `${subset}/${name}`));
  const everywhere = counts(named.map(({ name }) => name));
  return named.map(({ path, subset, name }) => ({
    path,
    subset,
    name: inSubset.get(`${subset}/${name}`) === 1 ? name : path,
    uniqueName: everywhere.get(name) === 1 ? name : path,
  }));
}

function absence({ name, dimension }: FormatInfo, others: number): string {
  const what = dimension === '3d' ? 'point clouds' : 'images';
  if (others === 0) return `The archive holds no ${what} from which tasks could be created.`;
  const unusable =
    dimension === '3d' ? 'the images in it are no point clouds' : 'those in it are masks or point clouds';
  return `The archive holds no ${what} from which tasks could be created: ${unusable}. Export a task in ${name} with images to see where they are expected.`;
}

function placeOf(path: string, withoutSubset: string): { readonly subset: string; readonly name: string } {
  const folders = path.split('/');
  const file = folders.pop() ?? '';
  const at = folders.findIndex((folder) => SUBSET.test(folder));
  const others = folders.filter((folder, index) => index !== at && !CONTAINER.test(folder));
  return { subset: folders[at] ?? withoutSubset, name: [...others, file].join('/') };
}

/** Archives often have everything in one folder. @returns what all names begin with, empty or with `/` at its end */
function commonFolders(names: readonly string[]): string {
  const [first = [], ...others] = names.map((name) => name.split('/').slice(0, -1));
  const differs = first.findIndex((folder, at) => others.some((each) => each[at] !== folder));
  return (differs === -1 ? first : first.slice(0, differs)).map((folder) => `${folder}/`).join('');
}

function counts(texts: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const text of texts) found.set(text, (found.get(text) ?? 0) + 1);
  return found;
}
