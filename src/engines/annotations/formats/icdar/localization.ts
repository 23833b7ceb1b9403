import { posix } from 'node:path';
import type { FrameShape } from '../annotated-frames.js';
import { firstLine } from '../archive-sample.js';
import { decimal } from '../../decimal.js';
import {
  type DatasetFiles,
  type ExportFormat,
  type FileLocation,
  type ImportFormat,
  type ImportTarget,
  refuse,
  shown,
} from '../format.js';
import { shapeAttributes } from '../items/attributes.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { annotatedItems, decimalText, twoDecimals } from '../items/items.js';
import { requireDistinctIds } from '../items/names.js';
import { FoundLabels, LabelNames } from '../label-names.js';
import { readLines } from '../text-pieces.js';
import { ICDAR_LABEL, icdarInfo, icdarItems, imageAt, imageFiles, imagePath, TEXT, textIn } from './layout.js';

const info = icdarInfo('Localization');

/** A file for each image, with a line for each annotation; it is empty for those that are no box or polygon. */
export const localizationExport: ExportFormat = {
  info,
  imagePath,
  async write(dataset, source, sink) {
    const labels = new LabelNames(dataset.labels);
    requireDistinctIds(info.name, icdarItems(dataset));
    for await (const { subset, id, tags, shapes } of annotatedItems(dataset, source, icdarItems(dataset))) {
      const known = shapes.filter(({ type }) => type !== 'cuboid');
      const lines = [...tags.map(() => ''), ...known.map((shape) => lineOf(shape, labels))];
      const path = posix.join(subset, posix.dirname(id), `gt_${posix.basename(id)}.txt`);
      await sink.addFile(path, Buffer.from(lines.map((line) => `${line}\n`).join('')));
    }
  },
};

function lineOf(shape: FrameShape, labels: LabelNames): string {
  if (shape.type !== 'rectangle' && shape.type !== 'polygon') return '';
  const text = textIn(shapeAttributes(shape, labels));
  const fields = [...shape.points.map(decimalText), ...(text === undefined ? [] : [`"${text}"`])];
  return fields.join(shape.type === 'rectangle' ? ' ' : ',');
}

/** A line of this format only: corners with a text in quotes, or eight numbers with a text. */
const LINE = /^(?:(?:-?[\d.]+[\s,]+){4,}".*"|(?:-?[\d.]+,\s*){8}.*\D.*)$/;

export const localizationImport: ImportFormat = {
  info,
  async recognize(sample) {
    const named = /(?:^|\/)gt_[^/]+\.txt$/i;
    const isLike = await sample.some(/\.txt$/i, (text) => LINE.test(firstLine(text)));
    if (isLike) return sample.paths.some((path) => named.test(path)) ? 3 : 2;
    return sample.paths.some((path) => named.test(path)) ? 2 : 0;
  },
  imageAt,
  async labels(files) {
    const found = new FoundLabels();
    found.add(ICDAR_LABEL);
    for (const { path } of textFiles(files)) {
      for await (const { text } of objectsIn(files, path)) {
        if (text !== undefined) found.addAttribute(ICDAR_LABEL, TEXT, text);
      }
    }
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target);
    for (const { path, names } of textFiles(files, target)) {
      const found: FoundAnnotation[] = [];
      for await (const { points, text, location } of objectsIn(files, path)) {
        found.push({
          type: points.length === 4 ? 'rectangle' : 'polygon',
          label: items.labels.named(ICDAR_LABEL, location),
          points: points.map(twoDecimals),
          ...(text !== undefined && { attributes: [[TEXT, text]] }),
          location,
        });
      }
      if (found.length > 0) yield* items.add(items.frames.namedAny(names, path), found);
    }
    yield* items.finish();
  },
};

const textFiles = (
  files: DatasetFiles,
  target: Pick<ImportTarget, 'subset' | 'notes'> = {},
): ReturnType<typeof imageFiles> => imageFiles(files, target, (file) => /^(?:gt_)?(.+)\.txt$/is.exec(file)?.[1]);

interface TextObject {
  /** Two corners of a rectangle, or the points of a polygon. */
  readonly points: readonly number[];
  readonly text: string | undefined;
}

async function* objectsIn(
  files: DatasetFiles,
  path: string,
): AsyncGenerator<TextObject & { readonly location: FileLocation }> {
  for await (const { text, location } of readLines(files.read(path), path)) {
    yield { ...objectOf(text, location), location };
  }
}

/** Numbers separated by commas or spaces, and the text. It may be without quotes in files of other tools. */
function objectOf(line: string, location: FileLocation): TextObject {
  const [, head = line, text] = /^([^"]*)"(.*)"$/s.exec(line) ?? [];
  if (text === undefined && line.includes('"')) {
    refuse(location, `unexpected number of quotes in ${shown(line)}`);
  }
  const separator = head.includes(',') ? ',' : ' ';
  const fields = withoutEnd(head)
    .split(separator === ',' ? ',' : /\s+/)
    .map((field) => field.trim());
  const numbers = fields.map(decimal);
  if (isGeometry(numbers)) return { points: numbers, text };
  const points = text === undefined ? leadingPoints(numbers) : undefined;
  if (points === undefined) refuse(location, `${shown(line)} is not a rectangle or polygon with a text`);
  return { points, text: fields.slice(points.length).join(separator) };
}

/** Without spaces and commas at the end. */
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s,]/.test(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
}

const isGeometry = (numbers: readonly number[]): boolean =>
  numbers.every((value) => !Number.isNaN(value)) &&
  (numbers.length === 4 || (numbers.length >= 6 && numbers.length % 2 === 0));

/** The numbers before a text without quotes, which may have digits itself. */
function leadingPoints(numbers: readonly number[]): readonly number[] | undefined {
  const end = numbers.findIndex((value) => Number.isNaN(value));
  const count = end === -1 ? numbers.length - 1 : end >= 8 ? 8 : 4;
  const points = numbers.slice(0, count);
  return isGeometry(points) ? points : undefined;
}
