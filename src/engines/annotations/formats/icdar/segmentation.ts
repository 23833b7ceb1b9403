import type { LabeledData } from '../../../../shared/annotations/model.js';
import type { DatasetFrame } from '../dataset.js';
import { type DatasetFiles, type ExportFormat, type ImportFormat, type ImportTarget, refuse } from '../format.js';
import { firstLine } from '../archive-sample.js';
import { type ImportNotes, MISSING } from '../import-notes.js';
import { attributeNamed, type ItemAttribute, shapeAttributes } from '../items/attributes.js';
import { encodeBmp } from '../items/bmp.js';
import { colorKey, type Rgb, vocColor } from '../items/colors.js';
import { byLayer, type ItemMask } from '../items/conversions.js';
import { hasFile } from '../items/dataset-root.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { annotatedItems, decimalText } from '../items/items.js';
import { bitmapsByValue, readMaskImage } from '../items/mask-images.js';
import { areaMasks, RGB, withPainted } from '../items/painting.js';
import { requireDistinctIds } from '../items/names.js';
import { FoundLabels, LabelNames } from '../label-names.js';
import { linesIn } from '../text-pieces.js';
import { ICDAR_LABEL, icdarInfo, icdarItems, type ImageFile, imageAt, imageFiles, imagePath, TEXT, textIn } from './layout.js'; // prettier-ignore

const info = icdarInfo('Segmentation');

const WHITE: Rgb = [255, 255, 255];

/** For each image, a list of characters, and an image with their pixels in the listed colours. */
export const segmentationExport: ExportFormat = {
  info,
  imagePath,
  async write(dataset, source, sink) {
    const labels = new LabelNames(dataset.labels);
    requireDistinctIds(info.name, icdarItems(dataset));
    for await (const { subset, id, frame, shapes } of annotatedItems(dataset, source, icdarItems(dataset))) {
      const characters = charactersOf(areaMasks(shapes, frame), labels);
      await sink.addFile(`${subset}/${id}_GT.txt`, Buffer.from(listOf(characters)));
      if (characters.length > 0) await sink.addFile(`${subset}/${id}_GT.bmp`, await painted(characters, frame));
    }
  },
};

interface Character extends ItemMask {
  readonly attributes: readonly ItemAttribute[];
  readonly color: Rgb;
}

/** The masks in the order of their attribute `index` or, without it, of their layers. Each gets a colour of its own. */
function charactersOf(masks: readonly ItemMask[], labels: LabelNames): Character[] {
  const sorted = masks
    .map((mask, at) => {
      const attributes = shapeAttributes(mask.shape, labels);
      const index = Number(attributeNamed(attributes, 'index') ?? NaN);
      return { ...mask, attributes, index: Number.isNaN(index) ? at : index };
    })
    .toSorted((a, b) => a.index - b.index);
  const taken = new Set([colorKey(WHITE)]);
  const own = sorted.map(({ attributes }) => {
    const color = colorIn(attributes);
    if (color === undefined || taken.has(colorKey(color))) return undefined;
    taken.add(colorKey(color));
    return color;
  });
  let next = 0;
  return sorted.map((mask, at) => {
    let color = own[at];
    while (color === undefined) {
      const free = vocColor(++next);
      if (!taken.has(colorKey(free))) color = free;
    }
    return { ...mask, color };
  });
}

function colorIn(attributes: readonly ItemAttribute[]): Rgb | undefined {
  const [, ...parts] = /^(\d{1,3}) +(\d{1,3}) +(\d{1,3})$/.exec(wordsIn(attributes, 'color')) ?? [];
  const [red = 256, green = 256, blue = 256] = parts.map(Number);
  return Math.max(red, green, blue) > 255 ? undefined : [red, green, blue];
}

const wordsIn = (attributes: readonly ItemAttribute[], name: string): string =>
  attributes.find((attribute) => attribute.name === name)?.text.trim() ?? '';

/** A line for each character, and an empty line between groups. Lines of spaces between words begin with `#`. */
function listOf(characters: readonly Character[]): string {
  const [first] = characters;
  return characters
    .map(({ shape: { group }, attributes, color, bitmap: { left, top, right, bottom } }, at) => {
      const before = characters[at - 1]?.shape.group ?? group;
      const isNew = at > 0 && (group !== before || (!group && Boolean(first?.shape.group)));
      const center = /^\S+ +\S+$/.exec(wordsIn(attributes, 'center'))?.[0] ?? '- -';
      const corners = [left, top, right + 1, bottom + 1].map(decimalText).join(' ');
      const text = textIn(attributes) ?? '';
      return `${isNew ? '\n' : ''}${text === ' ' ? '#' : ''}${color.join(' ')} ${center} ${corners} "${text}"\n`;
    })
    .join('');
}

const painted = (characters: readonly Character[], frame: DatasetFrame): Promise<Uint8Array> =>
  withPainted(frame, RGB, byLayer(characters), encodeBmp, 255);

export const segmentationImport: ImportFormat = {
  info,
  masks: /_GT\.[a-z]+$/i,
  recognize: async (sample) => ((await sample.some(/_GT\.txt$/i, (text) => LINE.test(firstLine(text)))) ? 3 : 0),
  imageAt,
  async labels(files) {
    const found = new FoundLabels();
    found.add(ICDAR_LABEL);
    for (const file of listFiles(files)) {
      for (const { attributes } of await readList(files, file)) {
        for (const [name, value] of attributes) found.addAttribute(ICDAR_LABEL, name, value);
      }
    }
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target, { implied: ['index', 'color'] });
    for (const file of listFiles(files, target)) yield* readCharacters(files, file, items, target.notes);
    yield* items.finish();
  },
};

const listFiles = (files: DatasetFiles, target: Pick<ImportTarget, 'subset' | 'notes'> = {}): ImageFile[] =>
  imageFiles(files, target, (file) => /^(.+)_GT\.txt$/is.exec(file)?.[1]);

interface ListedCharacter {
  readonly color: number;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly group: number;
  readonly location: string;
}

const LINE = /^(#?)\s*(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})\s+(\S+)\s+(\S+)(?:\s+\S+){4}\s+"(.*)"$/s;

async function readList(files: DatasetFiles, { path }: ImageFile): Promise<ListedCharacter[]> {
  const found = new Map<number, ListedCharacter>();
  let [group, number] = [1, 0];
  const add = (line: string): void => {
    const location = `${path}, line ${++number}`;
    if (line === '') {
      group++;
      return;
    }
    const [, mark, red, green, blue, x, y, content] = LINE.exec(line) ?? [];
    if (content === undefined) {
      refuse(location, `the line contains the wrong number of arguments, e.g. '241 73 144 1 4 0 3 1 4 "h"'`);
    }
    const color = colorKey([Number(red), Number(green), Number(blue)]);
    if (found.has(color)) refuse(location, `the color (${red}, ${green}, ${blue}) is listed twice`);
    const attributes = [
      ['index', String(found.size)],
      ['color', `${red} ${green} ${blue}`],
      [TEXT, mark === '#' ? ' ' : content],
      ...(x === '-' && y === '-' ? [] : [['center', `${x} ${y}`] as const]),
    ] as const;
    found.set(color, { color, attributes, group, location });
  };
  for await (const lines of linesIn(files.read(path), path)) for (const line of lines) add(line.trim());
  return [...found.values()];
}

async function* readCharacters(
  files: DatasetFiles,
  file: ImageFile,
  items: ItemImport,
  notes: ImportNotes | undefined,
): AsyncGenerator<LabeledData> {
  const characters = await readList(files, file);
  if (characters.length === 0) return;
  const path = file.path.replace(/txt$/i, 'bmp');
  if (!hasFile(files, path)) refuse(file.path, `the image with its characters, ${path}, is missing`);
  const frame = items.frames.namedAny(file.names, file.path);
  const bitmaps = bitmapsByValue(await readMaskImage(files, path, 'colors', frame), path);
  const found = characters.flatMap(({ color, location, ...more }): FoundAnnotation[] => {
    const bitmap = bitmaps.get(color);
    bitmaps.delete(color);
    if (bitmap === undefined) {
      if (frame.frame !== MISSING) notes?.skip('annotation', ICDAR_LABEL, location, 'no pixel has its colour');
      return [];
    }
    return [{ type: 'pixels', bitmap, label: items.labels.named(ICDAR_LABEL, location), location, ...more }];
  });
  bitmaps.delete(colorKey(WHITE));
  const [other] = bitmaps.keys();
  if (other !== undefined) {
    refuse(path, `Undeclared color (${other >> 16}, ${(other >> 8) & 255}, ${other & 255})`);
  }
  yield* items.add(frame, found);
}
