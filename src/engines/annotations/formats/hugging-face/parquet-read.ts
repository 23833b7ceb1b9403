import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { type DatasetFiles, type FileLocation, refuse } from '../format.js';
import { type JsonObject, objectOf } from '../json-values.js';
import { type ClassNames, classNamesInText } from './class-names.js';

/** A Parquet file is read from its end, so all of it is held in memory. */
const MAX_FILE = 256 * 2 ** 20;
/** Rows that are decoded together. */
const GROUP = 500;

/** The rows of a Parquet file, with the class names in its schema's metadata. @throws FormatError that names file and row */
export async function* parquetRows(
  files: DatasetFiles,
  path: string,
): AsyncGenerator<{ readonly row: JsonObject; readonly location: FileLocation; readonly classes: ClassNames }> {
  const file = await readAll(files, path);
  const metadata = readable(path, () => parquetMetadata(file));
  const features = metadata.key_value_metadata?.find(({ key }) => key === 'huggingface')?.value;
  const classes = classNamesInText(features ?? '', path);
  const count = Number(metadata.num_rows);
  for (let start = 0; start < count; start += GROUP) {
    const rowEnd = Math.min(start + GROUP, count);
    const rows = await parquetReadObjects({ file, metadata, rowStart: start, rowEnd }).catch((error: unknown) =>
      refuse(`${path}, rows ${start} to ${rowEnd - 1}`, 'this is not a Parquet file that can be read', error),
    );
    for (const [at, row] of rows.entries()) {
      const location = `${path}, row ${start + at}`;
      yield { row: objectOf(plain(row), location), location, classes };
    }
  }
}

function readable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    return refuse(path, 'this is not a Parquet file', error);
  }
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
