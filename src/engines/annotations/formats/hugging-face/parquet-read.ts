import { type FileMetaData, parquetMetadata, parquetSchema, type RowGroup, type SchemaTree } from 'hyparquet';
import { readColumn } from 'hyparquet/src/column.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { assembleAsync, asyncGroupToRows } from 'hyparquet/src/rowgroup.js';
import { getTreePath } from 'hyparquet/src/schema.js';
import { type DatasetFiles, type FileLocation, FormatError, refuse } from '../format.js';
import { type JsonObject, objectOf } from '../json-values.js';
import { type ClassNames, classNamesInText } from './class-names.js';
import { checkColumn, checkFooter, checkMetadata, ExcessiveParquet } from './parquet-check.js';

/** A Parquet file is read from its end, so all of it is held in memory. */
const MAX_FILE = 256 * 2 ** 20;

/** The columns that are read. Others, such as the images themselves, can be far larger. */
const COLUMNS: ReadonlySet<string> = new Set(['file_name', 'tags', 'tag_attributes', 'objects']);

/** JSON stays text, as in the formats of other columns. */
const PARSERS = { ...DEFAULT_PARSERS, jsonFromBytes: DEFAULT_PARSERS.stringFromBytes };

/**
 * The rows of a Parquet file, with the class names in its schema's metadata. Each group of rows is decoded once.
 * @throws FormatError that names file and row
 */
export async function* parquetRows(
  files: DatasetFiles,
  path: string,
): AsyncGenerator<{ readonly row: JsonObject; readonly location: FileLocation; readonly classes: ClassNames }> {
  const file = await readAll(files, path);
  const { metadata, tree } = readable(path, () => metadataOf(file));
  const features = metadata.key_value_metadata?.find(({ key }) => key === 'huggingface')?.value;
  const classes = classNamesInText(features ?? '', path);
  let start = 0;
  for (const group of metadata.row_groups) {
    const end = start + Number(group.num_rows);
    const location = `${path}, rows ${start} to ${end - 1}`;
    for (const [at, row] of (await rowsOf(file, group, tree, location)).entries()) {
      const place = `${path}, row ${start + at}`;
      yield { row: objectOf(plain(row), place), location: place, classes };
    }
    start = end;
  }
}

function metadataOf(file: ArrayBuffer): { readonly metadata: FileMetaData; readonly tree: SchemaTree } {
  checkFooter(file);
  const metadata = parquetMetadata(file, { geoparquet: false });
  const tree = parquetSchema(metadata);
  checkMetadata(metadata, tree, file.byteLength);
  return { metadata, tree };
}

/** @param location of the group */
async function rowsOf(file: ArrayBuffer, group: RowGroup, tree: SchemaTree, location: FileLocation): Promise<object[]> {
  try {
    const rows = Number(group.num_rows);
    const asyncColumns = group.columns.flatMap(({ meta_data: metadata }) => {
      if (metadata === undefined || !COLUMNS.has(metadata.path_in_schema[0] ?? '')) return [];
      const schemaPath = getTreePath(tree, metadata.path_in_schema);
      const first = Number(metadata.dictionary_page_offset || metadata.data_page_offset);
      const bytes = file.slice(first, first + Number(metadata.total_compressed_size));
      checkColumn(bytes, { metadata, schemaPath, rows });
      const decoder = {
        ...metadata,
        pathInSchema: metadata.path_in_schema,
        element: (schemaPath.at(-1) ?? tree).element,
        schemaPath,
        parsers: PARSERS,
      };
      const whole = { groupStart: 0, selectStart: 0, selectEnd: rows, groupRows: rows };
      const data = readColumn({ view: new DataView(bytes), offset: 0 }, whole, decoder);
      return [{ pathInSchema: metadata.path_in_schema, data: Promise.resolve(data) }];
    });
    const assembled = assembleAsync({ groupStart: 0, groupRows: rows, asyncColumns }, tree, PARSERS);
    return await asyncGroupToRows(assembled, 0, rows, undefined, 'object');
  } catch (error) {
    return unreadable(location, 'this is not a Parquet file that can be read', error);
  }
}

function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    return unreadable(path, 'this is not a Parquet file', error);
  }
}

function unreadable(location: FileLocation, fault: string, error: unknown): never {
  if (error instanceof FormatError) throw error;
  return refuse(location, error instanceof ExcessiveParquet ? `${fault}: ${error.message}` : fault, error);
}
async function readAll(files: DatasetFiles, path: string): Promise<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of files.read(path)) {
    size += piece.length;
    if (size > MAX_FILE) refuse(path, `the file is larger than ${MAX_FILE} bytes`);
    pieces.push(piece);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all.buffer;
}

/** Values as in JSON: whole numbers of 64 bits become numbers, typed arrays become lists. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}
