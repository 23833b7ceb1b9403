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
