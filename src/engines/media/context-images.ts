import { posix } from 'node:path';
import { isPointCloud } from '../../shared/media-kind.js';

const contextFolder = 'related_images';

export interface FramesAndContext {
  /** The images that become frames, in the given order. */
  frames: string[];
  /** Maps each frame that has context images to those images, in the given order. */
  related: Map<string, string[]>;
}

/**
 * Splits image paths into frames and context images. A context image is in `related_images/<name>_<ext>/`, where
 * `related_images` is in the same folder as the frame `<name>.<ext>` (for point clouds, alternatively next to that
 * folder). If there are point clouds, only they become frames, and {@link cloudOf} knows more layouts. Images that belong
 * to no frame, in `related_images` or among point clouds, are in neither list.
 */
export function splitContextImages(paths: readonly string[]): FramesAndContext {
  const clouds = paths.filter(isPointCloud);
  const frames = clouds.length > 0 ? clouds : paths.filter((path) => !isContextImage(path));
  const related = new Map<string, string[]>();
  if (frames.length === paths.length) return { frames, related };
  const frameOf = clouds.length > 0 ? cloudOf(clouds) : frameOfFolder(frames);
  const known = new Set(frames);
  for (const path of paths) {
    const frame = known.has(path) ? undefined : frameOf(path);
    if (frame === undefined) continue;
    const sameFrame = related.get(frame);
    if (sameFrame) sameFrame.push(path);
    else related.set(frame, [path]);
  }
  return { frames, related };
}

type FindFrame = (image: string) => string | undefined;

function frameOfFolder(frames: readonly string[]): FindFrame {
  const byFolder = new Map<string, string>();
  for (const frame of frames) for (const folder of contextFolders(frame)) byFolder.set(folder, frame);
  return (image) => byFolder.get(posix.dirname(image));
}

/**
 * Finds the point cloud of an image in the layouts of CVAT: `a.pcd` and `a.png`; `a/a.pcd` and `a/<any>.png`;
 * `pointcloud/a.pcd` and `related_images/a_pcd/<any>.png`; `velodyne_points/data/1.bin` and `image_00/data/1.png`.
 */
function cloudOf(clouds: readonly string[]): FindFrame {
  const byStem = new Map(clouds.map((cloud) => [withoutExtension(cloud), cloud]));
  const byFolder = frameOfFolder(clouds);
  return (image) => {
    const folder = posix.dirname(image);
    return (
      byStem.get(withoutExtension(image)) ??
      byFolder(image) ??
      byStem.get(posix.join(folder, posix.basename(folder))) ??
      byStem.get(image.replace(/(^|\/)image_\d+\/data\/([^/]+)\.[^./]*$/i, '$1velodyne_points/data/$2'))
    );
  };
}

const withoutExtension = (path: string): string => path.slice(0, path.length - posix.extname(path).length);

/** Whether a parent folder of this file is named `related_images`. */
export function isContextImage(path: string): boolean {
  return path.includes(contextFolder) && posix.dirname(path).split('/').includes(contextFolder);
}

/**
 * Names of context images in the archive that clients receive: relative to their common folder, with `.jpg`. A single
 * file is its own common folder, so its name becomes a dot, as the contract requires.
 */
export function contextNames(paths: readonly string[]): string[] {
  if (paths.length === 1) return ['..jpg'];
  const folders = paths.map((path) => posix.dirname(path).split('/'));
  const [first = []] = folders;
  const differs = first.findIndex((part, at) => folders.some((folder) => folder[at] !== part));
  const common = (differs === -1 ? first : first.slice(0, differs)).join('/');
  return paths.map((path) => `${posix.relative(common, path)}.jpg`);
}

/** The path of a context image of a frame. */
export function contextPath(frame: string, image: string): string {
  return posix.join(posix.dirname(frame), contextFolder, folderOf(frame), image);
}

function folderOf(frame: string): string {
  const { name, ext } = posix.parse(frame);
  return `${name}_${ext.slice(1)}`;
}

function contextFolders(frame: string): string[] {
  const { dir, name } = posix.parse(frame);
  const isCloud = isPointCloud(frame);
  const parents = isCloud && dir !== '' ? [dir, posix.dirname(dir)] : [dir];
  // CVAT converts .bin to .pcd before it looks for context images.
  const names = new Set([folderOf(frame), ...(isCloud ? [`${name}_pcd`] : [])]);
  return parents.flatMap((parent) => [...names].map((own) => posix.join(parent, contextFolder, own)));
}
