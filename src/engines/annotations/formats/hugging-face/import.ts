import { type DatasetFiles, datasetNotFound, type FormatInfo, type FileLocation, type ImportFormat, refuse } from '../format.js'; // prettier-ignore
import { type ImportNotes, isOtherSubset } from '../import-notes.js';
import { ItemImport } from '../items/item-import.js';
import { type JsonObject, listOf, objectOf, parseJson } from '../json-values.js';
import { FoundLabels } from '../label-names.js';
import { readLines } from '../text-pieces.js';
import { type ClassNames, classNamesOf, either, withClassNames } from './class-names.js';
import { imageAt, imageFolderInfo, imageOfRow, parquetInfo } from './layout.js';
import { parquetRows } from './parquet-read.js';
import { annotationsOf } from './rows.js';

interface FoundRow {
  readonly row: JsonObject;
  readonly location: FileLocation;
  /** If the file with the row names its classes. */
  readonly classes?: ClassNames;
}

type RowReader = (files: DatasetFiles, path: string) => AsyncIterable<FoundRow>;

/** In characters: enough for an image with a hundred thousand objects. */
const MAX_ROW = 64 * 2 ** 20;

async function* jsonRows(files: DatasetFiles, path: string): AsyncGenerator<FoundRow> {
  for await (const { text, location } of readLines(files.read(path), path, MAX_ROW)) {
    yield { row: objectOf(parseJson(text, location), location), location };
  }
}

/** Replaces the numbers of classes by their names. */
const named = (rowsIn: RowReader): RowReader =>
  async function* (files, path) {
    const archive = await classNamesOf(files);
    for await (const { row, location, classes } of rowsIn(files, path)) {
      const names = classes === undefined ? archive : either(classes, archive);
      yield { row: withClassNames(row, names, location), location };
    }
  };

const importOf = (info: FormatInfo, file: string, rows: RowReader): ImportFormat => ({
  info,
  requires: [`**/${file}`],
  recognize: ({ paths }) => (paths.some((path) => path === file || path.endsWith(`/${file}`)) ? 3 : 0),
  auxiliary: /(?:^|\/)(?:README\.md|dataset_infos?\.json)$/i,
  imageAt,
  async labels(files) {
    const found = new FoundLabels();
    for (const path of metadataFiles(files, file)) {
      for await (const { row, location } of rows(files, path)) addLabels(found, row, location);
    }
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target, { tracks: 'keyframes' });
    for (const path of metadataFiles(files, file)) {
      for await (const { row, location } of rows(files, path)) {
        const image = row['file_name'];
        if (typeof image !== 'string') refuse(location, 'file_name is not a text');
        const { subset, name } = imageOfRow(path, image);
        if (isOtherSubset(subset, path, target)) continue;
        noteColumns(row, path, target.notes);
        const annotations = annotationsOf(row, items.labels, location);
        if (annotations.length > 0) yield* items.add(items.frames.namedAny([name, image], location), annotations);
      }
    }
    yield* items.finish();
  },
});

function metadataFiles({ paths }: DatasetFiles, file: string): string[] {
  const found = paths.filter((path) => path === file || path.endsWith(`/${file}`));
  if (found.length === 0) throw datasetNotFound([`**/${file}`]);
  return found;
}

/** Columns that say nothing about annotations. */
const OTHER_COLUMNS = new Set(['file_name', 'width', 'height', 'tags', 'tag_attributes', 'objects', 'id', 'image_id', 'image', 'split']); // prettier-ignore

/** Reports columns that the format does not have. */
function noteColumns(row: JsonObject, path: string, notes: ImportNotes | undefined): void {
  for (const [column, value] of Object.entries(row)) {
    if (value === null || OTHER_COLUMNS.has(column)) continue;
    notes?.skip('annotation', `column ${column}`, path, 'labels are read from the columns tags and objects');
  }
}

/** Names that are no texts are reported when the annotations are read. */
function addLabels(found: FoundLabels, row: JsonObject, location: FileLocation): void {
  const objects = objectOf(row['objects'] ?? {}, location);
  const list = (of: JsonObject, name: string): unknown[] => listOf(of[name] ?? [], name, location);
  const columns = [
    [list(row, 'tags'), list(row, 'tag_attributes')],
    [list(objects, 'category' in objects ? 'category' : 'categories'), list(objects, 'attributes')],
  ] as const;
  for (const [names, attributes] of columns) {
    for (const [at, name] of names.entries()) {
      if (typeof name !== 'string') continue;
      found.add(name);
      for (const [attribute, value] of Object.entries(attributesIn(attributes[at])))
        found.addAttribute(name, attribute, String(value));
    }
  }
}

function attributesIn(text: unknown): JsonObject {
  try {
    return typeof text === 'string' ? objectOf(parseJson(text, ''), '') : {};
  } catch {
    return {};
  }
}

/** Reads images in folders with a line of JSON for each image. */
export const imageFolderImport = importOf(imageFolderInfo, 'metadata.jsonl', named(jsonRows));

/** Reads the same with a Parquet file instead of lines of JSON. */
export const parquetImport = importOf(parquetInfo, 'metadata.parquet', named(parquetRows));
