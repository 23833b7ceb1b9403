import { posix } from 'node:path';
import { mediaKind } from '../../../shared/media-kind.js';
import { withoutExtension } from './import-batch.js';

/** Files that operating systems and authors add to folders. */
const NAMES =
  /^(?:thumbs\.db|desktop\.ini|(?:readme|licen[cs]e|copying|notice|authors|citation|changelog|contributing)(?:\.(?:txt|cff|dataset\.txt|roboflow\.txt))?)$/i;

/** Documents, programs and what programs store for themselves. */
const EXTENSIONS = /\.(?:md|rst|html?|css|js|pdf|docx?|py|pyc|ipynb|sh|bat|m|cache|log|lock|bak|tmp)$/i;

/** Folders of tools. */
const FOLDERS = /(?:^|\/)(?:__MACOSX|__pycache__|\.git|\.svn|\.idea|\.vscode|\.ipynb_checkpoints|\.cache)\//;

/** Recognizes files that are part of no dataset: documents, programs, and hidden files. */
function isUnrelated(path: string): boolean {
  const name = posix.basename(path);
  return name.startsWith('.') || NAMES.test(name) || EXTENSIONS.test(name) || FOLDERS.test(path);
}

/**
 * The paths without files that are part of no dataset. A file that is called like an image is part of one: `license.txt`
 * may have the labels of `license.jpg`.
 * @param frames of the object that the dataset is imported into
 */
export function relatedPaths(paths: readonly string[], frames: Iterable<{ readonly name: string }> = []): string[] {
  const unrelated = new Set(paths.filter(isUnrelated));
  if (unrelated.size === 0) return [...paths];
  const images = paths.filter((path) => mediaKind(path) === 'image' && !unrelated.has(path));
  const named = new Set([...images, ...Array.from(frames, ({ name }) => name)].map(stemOf));
  return paths.filter((path) => !unrelated.has(path) || named.has(stemOf(path)));
}

const stemOf = (path: string): string => withoutExtension(posix.basename(path));
