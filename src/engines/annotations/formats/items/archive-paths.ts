/** How many folders may be around the files of a dataset in its archive. */
const MAX_WRAPPING = 3;

/**
 * Finds a file of a dataset. Archives may have the dataset in a folder.
 * @param name the path within the dataset
 * @returns the path in the archive, with the fewest folders around; undefined if there is none
 */
export function pathNamed(paths: readonly string[], name: string): string | undefined {
  const wrapping = (path: string): number => path.split('/').length - name.split('/').length;
  return paths
    .filter((path) => (path === name || path.endsWith(`/${name}`)) && wrapping(path) <= MAX_WRAPPING)
    .toSorted((a, b) => wrapping(a) - wrapping(b))[0];
}
