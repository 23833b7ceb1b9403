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
 * folder). Images under `related_images` that belong to no frame are in neither list.
 */
export function splitContextImages(paths: readonly string[]): FramesAndContext {
  const context = paths.filter(isContextImage);
  if (context.length === 0) return { frames: [...paths], related: new Map() };
  const frames = paths.filter((path) => !isContextImage(path));
  const frameOfFolder = new Map<string, string>();
  for (const frame of frames) for (const folder of contextFolders(frame)) frameOfFolder.set(folder, frame);

  const related = new Map<string, string[]>();
  for (const path of context) {
    const frame = frameOfFolder.get(posix.dirname(path));
    if (frame === undefined) continue;
    const sameFrame = related.get(frame);
    if (sameFrame) sameFrame.push(path);
    else related.set(frame, [path]);
  }
  return { frames, related };
}

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
  const { dir } = posix.parse(frame);
  const own = folderOf(frame);
  const parents = isPointCloud(frame) && dir !== '' ? [dir, posix.dirname(dir)] : [dir];
  return parents.map((parent) => posix.join(parent, contextFolder, own));
}
