import { posix } from 'node:path';
import { decimal } from '../../decimal.js';
import { folderName } from '../dataset.js';
import { type DatasetFiles, datasetNotFound, type FileLocation, type ImportFormat, refuse, shown } from '../format.js';
import { withoutExtension } from '../import-batch.js';
import { ArchiveSample } from '../archive-sample.js';
import { isOtherSubset } from '../import-notes.js';
import { hasFile } from '../items/dataset-root.js';
import { ItemImport } from '../items/item-import.js';
import { twoDecimals } from '../items/items.js';
import { FoundLabels } from '../label-names.js';
import { readLines, type TextLine } from '../text-pieces.js';
import { lfwInfo, NO_PERSON, PAIRS } from './layout.js';

const FILES = ['annotations/pairs.txt'] as const;

export const lfwImport: ImportFormat = {
  info: lfwInfo,
  requires: FILES,
  auxiliary: /(?:^|\/)people\.txt$/,
  recognize: ({ paths }) => (paths.some((path) => /(?:^|\/)pairs\.txt$/.test(path)) ? 3 : 0),
  imageAt(path) {
    const [, subset = 'default', name] = /^(?:(?:[^/]+\/){0,2}?([^/]+)\/)??images\/(.+)$/s.exec(path) ?? [];
    return name === undefined ? undefined : { subset, name };
  },
  async labels(files) {
    const found = new FoundLabels();
    for (const folder of await foldersIn(files)) {
      const path = posix.join(folder, 'people.txt');
      if (hasFile(files, path)) {
        for await (const { text } of readLines(files.read(path), path)) found.add(text.split('\t')[0] ?? '');
      }
      for await (const { images } of pairsIn(files, folder)) {
        for (const { person } of images) if (person !== undefined) found.add(person);
      }
    }
    for (const { name } of found.list()) {
      for (const pairs of Object.values(PAIRS)) found.addAttribute(name, pairs, '');
    }
    return found.list();
  },
  async *read(files, target) {
    const own = target.labels.filter(({ parentId }) => parentId === null);
    const known = new Set(own.map(({ name }) => folderName(name)));
    const items = new ItemImport(target, { implied: Object.values(PAIRS) });
    for (const folder of await foldersIn(files)) {
      if (isOtherSubset(subsetOf(folder), posix.join(folder, 'pairs.txt'), target)) continue;
      const people = await peopleIn(files, folder, known);
      for (const { names, person, positive, negative, location } of people.values()) {
        const label = items.labels.named(person, location, folderName);
        const attributes = [
          [PAIRS.positive, positive.join(',')],
          [PAIRS.negative, negative.join(',')],
        ] as const;
        yield* items.add(items.frames.namedAny(names, location), [{ type: 'tag', label, attributes, location }]);
      }
      const path = posix.join(folder, 'landmarks.txt');
      if (!hasFile(files, path)) continue;
      const persons = new Map(
        [...people.values()].map(({ names, person, location }) => [items.frames.namedAny(names, location), person]),
      );
      for await (const line of readLines(files.read(path), path)) {
        const { image, points } = landmarksOf(line);
        const [folderLabel = '', ...rest] = image.split('/');
        const names: [string, ...string[]] = known.has(folderLabel) ? [image, rest.join('/')] : [image];
        const { location } = line;
        const frame = items.frames.namedAny(names, location);
        const person = persons.get(frame) ?? (known.has(folderLabel) ? folderLabel : undefined);
        if (person === undefined) refuse(location, `no tag and no folder tells the label of ${shown(image)}`);
        yield* items.add(frame, [
          { type: 'points', label: items.labels.named(person, location, folderName), points, location },
        ]);
      }
    }
    yield* items.finish();
  },
};

/** The folders with annotations, one for each subset. */
async function foldersIn(files: DatasetFiles): Promise<string[]> {
  const sample = new ArchiveSample(files);
  const [own, others]: [string[], string[]] = [[], []];
  for (const path of files.paths.filter((each) => /^(?:[^/]+\/){0,4}pairs\.txt$/.test(each))) {
    const folder = posix.dirname(path);
    if (posix.basename(folder) === 'annotations') own.push(folder);
    else if ((await sample.line(path)) !== '') others.push(folder);
  }
  const found = own.length > 0 ? own : others;
  if (found.length === 0) throw datasetNotFound(FILES);
  return found;
}

const subsetOf = (folder: string): string =>
  (posix.basename(folder) === 'annotations' && folder.split('/').at(-2)) || 'default';

interface PersonImage {
  /** Undefined if the line does not say so. */
  readonly person: string | undefined;
  readonly id: string;
}

interface PairLine {
  readonly kind: 'single' | 'positive' | 'negative';
  readonly images: readonly PersonImage[];
  readonly location: FileLocation;
}

async function* pairsIn(files: DatasetFiles, folder: string): AsyncGenerator<PairLine> {
  const path = posix.join(folder, 'pairs.txt');
  for await (const { text, line, location } of readLines(files.read(path), path)) {
    const columns = line.split('\t');
    // The original dataset begins with the number of pairs.
    if (columns.length < 3 && columns.every((column) => /^\d+$/.test(column.trim()))) continue;
    const [person = '', id = '', other = '', otherId = ''] = columns;
    const first = imageOf(person, id);
    if (columns.length === 1) yield { kind: 'single', images: [{ person: undefined, id: line }], location };
    else if (columns.length === 3) yield { kind: 'positive', images: [first, imageOf(person, other)], location };
    else if (columns.length === 4) yield { kind: 'negative', images: [first, imageOf(other, otherId)], location };
    else refuse(location, `${shown(text)} has neither one column, nor three or four`);
  }
}

function imageOf(column: string, id: string): PersonImage {
  const person = column.trim();
  if (person === NO_PERSON) return { person: undefined, id };
  return { person, id: /^\d+$/.test(id.trim()) ? `${person}_${id.trim().padStart(4, '0')}` : id };
}

interface Person {
  readonly names: readonly [string, ...string[]];
  readonly person: string;
  readonly positive: string[];
  readonly negative: string[];
  readonly location: FileLocation;
}

/** The images with a person, with their pairs. */
async function peopleIn(
  files: DatasetFiles,
  folder: string,
  known: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Person>> {
  const people = new Map<string, Person>();
  for await (const { kind, images, location } of pairsIn(files, folder)) {
    const [first, second] = images.map((image) => {
      const { person, id } = inFolder(image, known);
      const key = person === undefined ? id : `${person}/${id}`;
      if (person === undefined) return { key };
      const found = people.get(key) ?? { names: [key, id], person, positive: [], negative: [], location };
      people.set(key, found);
      return { key, found };
    });
    if (kind !== 'single' && second !== undefined) first?.found?.[kind].push(second.key);
  }
  return people;
}

/** The first folder is a person if there is a label of this name. */
function inFolder(image: PersonImage, known: ReadonlySet<string>): PersonImage {
  const at = image.id.indexOf('/');
  const person = image.id.slice(0, Math.max(0, at));
  return image.person === undefined && known.has(person) ? { person, id: image.id.slice(at + 1) } : image;
}

function landmarksOf({ text, line, location }: TextLine): { image: string; points: number[] } {
  const [image = '', ...values] = line.split('\t');
  const points = values.map(decimal);
  if (points.length === 0 || points.length % 2 === 1 || points.some(Number.isNaN)) {
    refuse(location, `${shown(text)} is not an image with pairs of numbers`);
  }
  return { image: withoutExtension(image), points: points.map(twoDecimals) };
}
