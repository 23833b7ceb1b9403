import { decimal } from '../../decimal.js';
import { folderName } from '../dataset.js';
import {
  type DatasetFiles,
  datasetNotFound,
  type FileLocation,
  type ImportFormat,
  type ImportTarget,
  refuse,
  shown,
} from '../format.js';
import { matchesIn, rootOf } from '../items/dataset-root.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { isOtherSubset } from '../import-notes.js';
import { ItemImport } from '../items/item-import.js';
import { twoDecimals } from '../items/items.js';
import { FoundLabels } from '../label-names.js';
import { readLines, type TextLine } from '../text-pieces.js';
import { FACE, FACE_ATTRIBUTES, MISSING, NO_LABEL, widerFaceInfo } from './layout.js';

const FILES = ['wider_face_split/*.txt'] as const;
/** In a folder of its own, or next to everything else. */
const LIST = /^(?:wider_face_split\/(?=[^/]+$)|(?=wider_face_[^/]+_bbx_gt\.txt$))([^/]+)\.txt$/;
const SUBSET = /^wider_face_(.+)_bbx_gt$/s;

export const widerFaceImport: ImportFormat = {
  info: widerFaceInfo,
  requires: FILES,
  recognize: ({ paths }) => (rootOf(paths, LIST) === undefined ? 0 : 3),
  /** The original dataset has its lists as files of Matlab, too. */
  auxiliary: /(?:^|\/)(?:labels\.txt|wider_[^/]*\.mat)$/,
  imageAt(path) {
    const [, subset, name] = /^(?:[^/]+\/){0,3}?WIDER_([^/]+)\/images\/[^/]+\/(.+)$/s.exec(path) ?? [];
    return subset === undefined || name === undefined ? undefined : { subset, name };
  },
  async labels(files) {
    const found = new FoundLabels();
    const names = await labelNames(files);
    for (const name of names ?? [FACE]) found.add(name);
    for await (const { folderLabel, boxes } of recordsIn(files)) {
      if (names === undefined && folderLabel !== undefined) found.add(folderLabel);
      for (const { label, attributes } of boxes) {
        if (names === undefined) found.add(label);
        for (const [name, value] of attributes) found.addAttribute(label, name, value);
      }
    }
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target);
    for await (const { path, folderLabel, boxes, location } of recordsIn(files, target)) {
      const found: FoundAnnotation[] = boxes.map(({ label, ...box }) => ({
        ...box,
        type: 'rectangle',
        label: items.labels.named(label, box.location),
      }));
      const tag = folderLabel === undefined ? undefined : items.labels.find(folderLabel, folderName);
      if (tag !== undefined) found.unshift({ type: 'tag', label: tag, location });
      else if (folderLabel !== undefined) target.notes?.skip('annotation', folderLabel, location, 'there is no label for this tag'); // prettier-ignore
      if (found.length === 0) continue;
      const name = path.slice(path.indexOf('/') + 1);
      yield* items.add(items.frames.namedAny([name, path], location), found);
    }
    yield* items.finish();
  },
};

function datasetRoot({ paths }: DatasetFiles): string {
  const root = rootOf(paths, LIST);
  if (root === undefined) throw datasetNotFound(FILES);
  return root;
}

async function labelNames(files: DatasetFiles): Promise<string[] | undefined> {
  const path = `${datasetRoot(files)}labels.txt`;
  if (!files.paths.includes(path)) return undefined;
  const names: string[] = [];
  for await (const { text } of readLines(files.read(path), path)) names.push(text);
  return names;
}

interface Box {
  readonly label: string;
  readonly points: readonly number[];
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly location: FileLocation;
}

/** An image with its boxes. */
interface Record {
  readonly path: string;
  /** The label in the name of the folder. */
  readonly folderLabel: string | undefined;
  readonly boxes: Box[];
  readonly location: FileLocation;
}

/** The images in the lists of all subsets, or of the one to import. */
async function* recordsIn(files: DatasetFiles, target?: ImportTarget): AsyncGenerator<Record> {
  for (const { path, groups } of matchesIn(files.paths, datasetRoot(files), LIST)) {
    const [name = ''] = groups;
    const subset = SUBSET.exec(name)?.[1] ?? name.split('_')[2] ?? 'default';
    if (isOtherSubset(subset, path, target)) continue;
    yield* recordsOf(readLines(files.read(path), path));
  }
}

async function* recordsOf(lines: AsyncIterable<TextLine>): AsyncGenerator<Record> {
  let record: Record | undefined;
  let expected: number | undefined;
  for await (const line of lines) {
    const { text, location } = line;
    if (text.includes('/') && text.includes('.') && Number.isNaN(decimal(text.split(' ')[0] ?? ''))) {
      if (record !== undefined) yield complete(record, expected);
      record = { path: text, folderLabel: folderLabelOf(text), boxes: [], location };
      expected = undefined;
    } else if (record === undefined) refuse(location, `${shown(text)} stands before the first image`);
    else if (/^\d+$/.test(text)) expected = Number(text);
    else if (expected === undefined) refuse(location, `${shown(text)} is not the number of boxes of the image`);
    else if (record.boxes.length < expected) record.boxes.push(boxOf(line));
    // Images without boxes may have a row of zeros.
    else if (!/^[0\s]+$/.test(text)) refuse(location, `the image has more than ${expected} boxes`);
  }
  if (record !== undefined) yield complete(record, expected);
}

/** @throws FormatError if the file has been cut off within the boxes */
function complete(record: Record, expected = 0): Record {
  const { boxes, location } = record;
  return boxes.length < expected ? refuse(location, `the image has ${boxes.length} of ${expected} boxes`) : record;
}

/** Folders are called `no_label`, or after their label: `0--Parade`. */
function folderLabelOf(path: string): string | undefined {
  const folder = path.slice(0, path.indexOf('/'));
  return folder === NO_LABEL ? undefined : /--(.+)$/s.exec(folder)?.[1];
}

/** What follows four numbers, or also six attributes: a label, which may have spaces. */
const AFTER_BOX = /^(?:\S+\s+){4}(.+)$/s;
const AFTER_ATTRIBUTES = /^(?:\S+\s+){10}(.+)$/s;

/** Four numbers, possibly six attributes, possibly a label. */
function boxOf({ text, location }: TextLine): Box {
  const words = text.split(/\s+/);
  const [x = NaN, y = NaN, width = NaN, height = NaN] = words.map(decimal);
  if (![x, y, width, height].every(Number.isFinite))
    refuse(location, `${shown(text)} does not begin with four numbers`);
  const count = words.length >= 4 + FACE_ATTRIBUTES.length ? FACE_ATTRIBUTES.length : 0;
  const attributes = FACE_ATTRIBUTES.slice(0, count)
    .map((name, at): [string, string] => [name, words[4 + at] ?? MISSING])
    .filter(([, value]) => value !== MISSING);
  const [, label = FACE] = (count === 0 ? AFTER_BOX : AFTER_ATTRIBUTES).exec(text) ?? [];
  return {
    label,
    points: [x, y, x + width, y + height].map(twoDecimals),
    attributes,
    location,
  };
}
