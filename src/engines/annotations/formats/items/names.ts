import { type DatasetLabel, folderName } from '../dataset.js';
import { FormatError, shown } from '../format.js';
import type { DatasetItem, DatasetItems } from './items.js';

/** What a name cannot contain, with a noun for messages. */
interface Separator {
  readonly pattern: RegExp;
  readonly what: string;
}

const LINE_BREAK: Separator = { pattern: /[\r\n]/, what: 'a line break' };

/**
 * For formats that list names line by line.
 * @param other what separates names on one line, apart from line breaks
 * @throws FormatError if a name has a separator
 */
export function requireOneLine(
  format: string,
  kind: 'label' | 'image',
  names: Iterable<string>,
  other: Separator = LINE_BREAK,
): void {
  for (const name of names) {
    const found = [LINE_BREAK, other].find(({ pattern }) => pattern.test(name));
    if (found === undefined) continue;
    throw new FormatError(`${format} cannot have the ${kind} ${shown(name)}, because its name has ${found.what}.`);
  }
}

/** As {@link requireOneLine}, for formats that list images. */
export const requireListable = (
  format: string,
  { all }: { readonly all: readonly { readonly id: string }[] },
  other?: Separator,
): void => requireOneLine(format, 'image', all.map(({ id }) => id), other); // prettier-ignore

/**
 * For formats that name images without their extensions.
 * @throws FormatError if two images of a subset differ only in it, so that an import could not tell them apart
 */
export function requireDistinctIds(format: string, { all }: DatasetItems): void {
  const known = new Map<string, DatasetItem>();
  for (const item of all) {
    const key = `${item.subset}/${item.id}`;
    const other = known.get(key);
    if (other !== undefined) {
      throw new FormatError(
        `${format} cannot have both ${shown(other.frame.name)} and ${shown(item.frame.name)}, because it names images without their extensions: several images would be ${shown(item.id)}.`,
      );
    }
    known.set(key, item);
  }
}

/** As {@link requireOneLine}, for formats that list labels. */
export const requireListableLabels = (format: string, labels: readonly DatasetLabel[]): void =>
  requireOneLine(format, 'label', labels.map(({ name }) => name)); // prettier-ignore

/**
 * For formats that have a folder for each label, see {@link folderName}.
 * @param reserved the name of another folder
 * @throws FormatError if two labels have the same folder
 */
export function requireFolders(format: string, labels: readonly DatasetLabel[], reserved?: string): void {
  const taken = new Map<string, string>();
  for (const { name } of labels.filter(({ parentId }) => parentId === null)) {
    const folder = folderName(name);
    const other = taken.get(folder);
    if (folder === reserved || other !== undefined) {
      const use = other === undefined ? 'images without a label' : `images of the label ${shown(other)}`;
      throw new FormatError(
        `${format} cannot have the label ${shown(name)}, because ${use} are in the folder ${shown(folder)}.`,
      );
    }
    taken.set(folder, name);
  }
}
