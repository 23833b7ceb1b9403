import { posix } from 'node:path';
import { decimal } from '../../decimal.js';
import type { DatasetFrame } from '../dataset.js';
import { type DatasetFiles, datasetNotFound, type FileLocation, type ImportFormat, refuse, shown } from '../format.js';
import { ArchiveSample, firstLine } from '../archive-sample.js';
import { rootOf } from '../items/dataset-root.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { decimalText, twoDecimals } from '../items/items.js';
import { FoundLabels, type LabelNames } from '../label-names.js';
import { readLines, type TextLine } from '../text-pieces.js';
import { numberedFrames, plainNumber } from './frame-numbers.js';

/** The classes of the MOT challenge, for archives without a list of labels. */
const MOT_LABELS = [
  'pedestrian',
  'person on vehicle',
  'car',
  'bicycle',
  'motorbike',
  'non motorized vehicle',
  'static person',
  'distractor',
  'occluder',
  'occluder on the ground',
  'occluder full',
  'reflection',
];

const FILES = ['gt/gt.txt'] as const;

export const motImport: ImportFormat = {
  info: { name: 'MOT 1.1', ext: 'ZIP', version: '1.1', enabled: true, dimension: '2d' },
  requires: FILES,
  async recognize(sample) {
    if (sample.paths.some((path) => /(?:^|\/)gt\/gt\.txt$/.test(path))) return 3;
    return (await sample.some(/\.txt$/i, (text) => isRow(firstLine(text)))) ? 3 : 0;
  },
  auxiliary: /(?:^|\/)(?:seqinfo\.ini|labels\.txt|det\/det\.txt)$/,
  imageAt(path) {
    const [, name] = /^(?:[^/]+\/){0,3}?img1\/(.+)$/s.exec(path) ?? [];
    return name === undefined ? undefined : { name, subset: 'default' };
  },
  async labels(files) {
    const found = new FoundLabels();
    for (const name of await labelNames(files, await rowsPath(files))) found.add(name);
    return found.list();
  },
  async *read(files, target) {
    const path = await rowsPath(files);
    for (const other of files.paths) {
      if (other !== path && ROWS.test(other)) target.notes?.ignore(other, `only one sequence is read: ${path}`);
    }
    const names = await labelNames(files, path);
    const frameOf = await frameNumbering(files, path, target.frames);
    const items = new ItemImport(target, { tracks: 'all', implied: ['visibility', 'ignored'] });
    for await (const line of readLines(files.read(path), path)) {
      const row = rowOf(line);
      const frame = frameOf(row.frame) ?? items.frames.unmatched(row.frame, line.location);
      yield* items.add(frame, [annotationOf(row, names, items.labels)]);
    }
    yield* items.finish();
  },
};

const ROWS = /(?:^|\/)gt\.txt$/;

/** The file with the rows: `gt/gt.txt`, or the only text with such rows. */
async function rowsPath(files: DatasetFiles): Promise<string> {
  const { paths } = files;
  const root = rootOf(paths, /^gt\/gt\.txt$/);
  if (root !== undefined) return `${root}gt/gt.txt`;
  const sample = new ArchiveSample(files);
  const found: string[] = [];
  for (const path of paths) {
    if (/\.txt$/i.test(path) && isRow(await sample.line(path))) found.push(path);
  }
  const [only] = found;
  if (only === undefined || found.length > 1) throw datasetNotFound(FILES);
  return only;
}

/** Whether a line looks like a row: frame, track, and five to eight more numbers. */
const isRow = (line: string): boolean => /^\d+\s*,\s*-?\d+\s*(?:,\s*-?[\d.]+(?:e[-+]?\d+)?\s*){5,8}$/i.test(line);

async function labelNames(files: DatasetFiles, rows: string): Promise<string[]> {
  const path = posix.join(posix.dirname(rows), 'labels.txt');
  if (!files.paths.includes(path)) return MOT_LABELS;
  const names: string[] = [];
  for await (const { text } of readLines(files.read(path), path)) names.push(text);
  return names;
}

interface Row {
  /** Its number, see {@link plainNumber}. */
  readonly frame: string;
  readonly track: number;
  readonly box: readonly [x: number, y: number, width: number, height: number];
  readonly confidence: number;
  readonly label: number;
  readonly visibility: number;
  readonly location: FileLocation;
}

function rowOf({ text, location }: TextLine): Row {
  const fields = text.split(',');
  if (fields.length < 7 || fields.length > 10) refuse(location, `a row has 7 to 10 columns, not ${fields.length}`);
  const values = fields.map(decimal);
  if (values.some(Number.isNaN)) refuse(location, `${shown(text)} has a column that is not a number`);
  const [frame = 0, track = 0, x = 0, y = 0, width = 0, height = 0, confidence = 0, label = -1, visibility = 1] =
    values;
  if (!Number.isInteger(frame) || !Number.isInteger(track)) {
    refuse(location, `${shown(text)} does not begin with whole numbers for frame and track`);
  }
  const digits = fields[0]?.trim() ?? '';
  return {
    frame: /^\d+$/.test(digits) ? plainNumber(digits) : String(frame),
    track,
    box: [x, y, width, height],
    confidence,
    label,
    visibility,
    location,
  };
}

/**
 * The frames by their numbers as in exports or, if a number of the file is not among them, by their position from 1.
 * This needs a first pass, because a file numbers all frames in the same way.
 */
async function frameNumbering(
  files: DatasetFiles,
  path: string,
  frames: readonly DatasetFrame[],
): Promise<(number: string) => DatasetFrame | undefined> {
  const byNumber = numberedFrames(frames);
  for await (const line of readLines(files.read(path), path)) {
    if (!byNumber.has(rowOf(line).frame)) return (number) => frames[Number(number) - 1];
  }
  return (number) => byNumber.get(number);
}

function annotationOf(
  { track, box: [x, y, width, height], confidence, label, visibility, location }: Row,
  names: readonly string[],
  labels: LabelNames,
): FoundAnnotation {
  const name = names[label - 1] ?? refuse(location, `the list of labels has no class ${label}`);
  return {
    type: 'rectangle',
    label: labels.named(name, location),
    points: [x, y, x + width, y + height].map(twoDecimals),
    occluded: visibility <= 0,
    attributes: [
      ['visibility', decimalText(visibility)],
      ['ignored', confidence === 0 ? 'True' : 'False'],
    ],
    ...(track > 0 && { track }),
    location,
  };
}
