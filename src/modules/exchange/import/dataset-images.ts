import type { ArchiveAccount } from '../../../engines/annotations/formats/archive-account.js';
import {
  type DatasetFiles,
  FormatError,
  type ImportFormat,
  shown,
} from '../../../engines/annotations/formats/format.js';
import { withoutExtension } from '../../../engines/annotations/formats/import-batch.js';
import { relatedPaths } from '../../../engines/annotations/formats/unrelated-files.js';
import { contextPath } from '../../../engines/media/context-images.js';
import { isPointCloud, mediaKind } from '../../../shared/media-kind.js';
import type { ImportedImage } from '../../media/index.js';
import { looseImages } from './loose-images.js';

/** Limit for the name of a subset. */
const MAX_SUBSET = 64;
export const NO_SUBSET = 'default';

/** The images of an archive. */
export interface DatasetImages {
  /** By subset, in the order of the archive. */
  readonly subsets: ReadonlyMap<string, readonly ImportedImage[]>;
  /** Why other images become no frames, by their paths. */
  readonly ignored: ReadonlyMap<string, string>;
  /** The paths of those that are not where the format has them. */
  readonly loose: ReadonlySet<string>;
  /**
   * The names by which annotations of the whole archive find the images, by subset and name; absent if the images are
   * where the format has them.
   */
  readonly uniqueNames?: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

type Subsets = Map<string, Map<string, ImportedImage>>;

/** @throws FormatError if the archive has no images of the format */
export async function imagesBySubset(
  format: ImportFormat,
  files: DatasetFiles,
  account: ArchiveAccount,
): Promise<DatasetImages> {
  const paths = relatedPaths(files.paths);
  const { subsets, ignored } = await expectedImages(
    format,
    { ...files, paths, read: (path) => files.read(path) },
    account,
  );
  if (subsets.size > 0) return { subsets: listed(subsets), ignored, loose: new Set() };
  const loose = new Set<string>();
  const uniqueNames = new Map<string, Map<string, string>>();
  for (const { path, subset, name, uniqueName } of looseImages(paths, format.info, NO_SUBSET)) {
    loose.add(path);
    addImage(imagesOf(subsets, subset), subset, { name, read: () => files.read(path) });
    const names = uniqueNames.get(subset) ?? new Map<string, string>();
    uniqueNames.set(subset, names.set(name, uniqueName));
  }
  return { subsets: listed(subsets), ignored, loose, uniqueNames };
}

/** The images that are where the format has them. */
async function expectedImages(
  format: ImportFormat,
  files: DatasetFiles,
  account: ArchiveAccount,
): Promise<{ subsets: Subsets; ignored: Map<string, string> }> {
  const subsetOf = await account.subsetsOfImages();
  const imageAt = await account.images();
  const subsets: Subsets = new Map();
  const context: ContextImage[] = [];
  const ignored = new Map<string, string>();
  for (const path of files.paths) {
    const image = mediaKind(path) === 'image' ? imageAt(path) : undefined;
    if (image === undefined) continue;
    const { name } = image;
    const subset = subsetOf?.get(withoutExtension(name)) ?? image.subset;
    if (subset.length > MAX_SUBSET) {
      throw new FormatError(`The name of the subset ${shown(subset)} is longer than ${MAX_SUBSET} characters.`);
    }
    const images = imagesOf(subsets, subset);
    const read = (): AsyncIterable<Uint8Array> => files.read(path);
    if (image.contextOf !== undefined) context.push({ path, images, subset, of: image.contextOf, name, read });
    else if (isPointCloud(path) === (format.info.dimension === '3d')) addImage(images, subset, { name, read });
    else ignored.set(path, `${format.info.name} is for ${format.info.dimension === '3d' ? 'point clouds' : 'images'}`);
  }
  addContextImages(context, ignored);
  for (const [subset, images] of subsets) if (images.size === 0) subsets.delete(subset);
  return { subsets, ignored };
}

function imagesOf(subsets: Subsets, subset: string): Map<string, ImportedImage> {
  const images = subsets.get(subset) ?? new Map<string, ImportedImage>();
  subsets.set(subset, images);
  return images;
}

const listed = (subsets: Subsets): Map<string, ImportedImage[]> =>
  new Map(Array.from(subsets, ([subset, images]) => [subset, [...images.values()]]));

function addImage(images: Map<string, ImportedImage>, subset: string, image: ImportedImage): void {
  const { name } = image;
  if (images.has(name)) throw new FormatError(`The subset ${shown(subset)} contains the image ${shown(name)} twice.`);
  images.set(name, image);
}

interface ContextImage extends ImportedImage {
  readonly path: string;
  /** Those of the subset. */
  readonly images: Map<string, ImportedImage>;
  readonly subset: string;
  /** The name of the frame without extension. */
  readonly of: string;
}

/** Puts context images where tasks have them. Those of no frame are left out. */
function addContextImages(context: readonly ContextImage[], ignored: Map<string, string>): void {
  const known = new Map<Map<string, ImportedImage>, Map<string, string>>();
  for (const { path, images, subset, of, name, read } of context) {
    const frames = known.get(images) ?? new Map([...images.keys()].map((frame) => [withoutExtension(frame), frame]));
    known.set(images, frames);
    const frame = frames.get(of);
    if (frame !== undefined) addImage(images, subset, { name: contextPath(frame, name), read });
    else ignored.set(path, `there is no point cloud ${shown(of)} that it belongs to`);
  }
}
