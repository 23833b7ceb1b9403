import type { DatasetFiles, DatasetImage } from '../format.js';
import { withoutExtension } from '../import-batch.js';

const pathsOf = new WeakMap<DatasetFiles, ReadonlySet<string>>();

/** Whether the archive has a file. Lists can name as many files as the archive has. */
export function hasFile(files: DatasetFiles, path: string): boolean {
  const paths = pathsOf.get(files) ?? new Set(files.paths);
  pathsOf.set(files, paths);
  return paths.has(path);
}

/** How many folders may be around the files of a dataset in its archive. */
const MAX_FOLDERS = 3;

/**
 * Archives may have the dataset in a folder.
 * @param member matches the path, within the dataset, of a file that its format has
 * @returns what paths of the dataset begin with, empty or with `/` at the end; undefined if no file matches
 */
export function rootOf(paths: readonly string[], member: RegExp): string | undefined {
  for (let depth = 0; depth <= MAX_FOLDERS; depth++) {
    for (const path of paths) {
      const parts = path.split('/');
      if (parts.length > depth && member.test(parts.slice(depth).join('/'))) {
        return parts.slice(0, depth).map((part) => `${part}/`).join(''); // prettier-ignore
      }
    }
  }
  return undefined;
}

/** More than the folders that a tool puts in front. */
const MAX_PASSED = 50;

/** A path without its first folders, the longest first: a task may have some of them in the names of its images. */
export function suffixesOf(path: string): [string, ...string[]] {
  const found: [string, ...string[]] = [path];
  for (let at = path.indexOf('/') + 1; at > 0 && found.length <= MAX_PASSED; at = path.indexOf('/', at) + 1)
    found.push(path.slice(at));
  return found;
}

/** The paths within a folder that match, with the groups of the match. */
export function* matchesIn(paths: readonly string[], root: string, pattern: RegExp): Generator<PathMatch> {
  for (const path of paths) {
    const match = path.startsWith(root) ? pattern.exec(path.slice(root.length)) : null;
    if (match !== null) yield { path, groups: match.slice(1) };
  }
}

export interface PathMatch {
  readonly path: string;
  readonly groups: readonly (string | undefined)[];
}

/** A file in a folder of a subset. */
export interface FolderMember {
  readonly folder: string;
  readonly subset: string;
  readonly name: string;
}

/**
 * A file in one of the folders that subsets have: `SUBSET/FOLDER/NAME` or `FOLDER/NAME`, possibly in a folder.
 * @param folders of the format
 * @returns undefined if the path is in none of them
 */
export function memberOf(folders: readonly string[], path: string): FolderMember | undefined {
  const parts = path.split('/');
  const at = parts.slice(0, MAX_FOLDERS + 1).findIndex((part) => folders.includes(part));
  const folder = parts[at];
  if (folder === undefined || at === parts.length - 1) return undefined;
  return { folder, subset: parts[at - 1] ?? 'default', name: parts.slice(at + 1).join('/') };
}

/** The image in a folder of a subset, see {@link memberOf}. */
export function imageIn(folder: string, folders: readonly string[], path: string): DatasetImage | undefined {
  const found = memberOf(folders, path);
  return found?.folder === folder ? { subset: found.subset, name: found.name } : undefined;
}

/**
 * The subsets of images whose paths begin with their subset, in an archive in which the dataset is in a folder: there,
 * the subset is not the first part of the path.
 */
export function subsetsIn(paths: readonly string[], root: string): ReadonlyMap<string, string> {
  const subsets = new Map<string, string>();
  for (const { path, groups } of root === '' ? [] : matchesIn(paths, root, /^([^/]+)\//)) {
    subsets.set(withoutExtension(path.slice(path.indexOf('/') + 1)), groups[0] ?? '');
  }
  return subsets;
}
