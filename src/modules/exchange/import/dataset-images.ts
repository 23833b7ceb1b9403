import type { ArchiveAccount } from '../../../engines/annotations/formats/archive-account.js';
import { type DatasetFiles, datasetNotFound, FormatError, type ImportFormat, shown } from '../../../engines/annotations/formats/format.js'; // prettier-ignore
import { withoutExtension } from '../../../engines/annotations/formats/import-batch.js';
import { relatedPaths } from '../../../engines/annotations/formats/unrelated-files.js';
import { contextPath } from '../../../engines/media/context-images.js';
import { isPointCloud, mediaKind } from '../../../shared/media-kind.js';
import type { ImportedImage } from '../../media/index.js';

/** Limit for the name of a subset. */
const MAX_SUBSET = 64;

/** The images of an archive. */
export interface DatasetImages {
  /** By subset, in the order of the archive. */
  readonly subsets: ReadonlyMap<string, readonly ImportedImage[]>;
  /** Why other images become no frames, by their paths. */
  readonly ignored: ReadonlyMap<string, string>;
}

/** @throws FormatError if the archive has no images of the format */
export async function imagesBySubset(
  format: ImportFormat,
  files: DatasetFiles,
  account: ArchiveAccount,
): Promise<DatasetImages> {
  const listed = await account.subsetsOfImages();
  const subsets = new Map<string, Map<string, ImportedImage>>();
  const context: ContextImage[] = [];
  const ignored = new Map<string, string>();
  for (const path of relatedPaths(files.paths)) {
    const image = mediaKind(path) === 'image' ? format.imageAt(path) : undefined;
    if (image === undefined) continue;
    const { name } = image;
    const subset = listed?.get(withoutExtension(name)) ?? image.subset;
    if (subset.length > MAX_SUBSET) {
      throw new FormatError(`The name of the subset ${shown(subset)} is longer than ${MAX_SUBSET} characters.`);
    }
    const images = subsets.get(subset) ?? new Map<string, ImportedImage>();
    subsets.set(subset, images);
    const read = (): AsyncIterable<Uint8Array> => files.read(path);
    if (image.contextOf !== undefined) context.push({ path, images, subset, of: image.contextOf, name, read });
    else if (isPointCloud(path) === (format.info.dimension === '3d')) addImage(images, subset, { name, read });
    else ignored.set(path, `${format.info.name} is for ${format.info.dimension === '3d' ? 'point clouds' : 'images'}`);
  }
  addContextImages(context, ignored);
  for (const [subset, images] of subsets) if (images.size === 0) subsets.delete(subset);
  if (subsets.size === 0) throw datasetNotFound('The archive holds no images from which tasks could be created.');
  return { subsets: new Map([...subsets].map(([subset, images]) => [subset, [...images.values()]])), ignored };
}

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
