import type { ColumnMetaData, FileMetaData, PageHeader, SchemaTree } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { decompressPage } from 'hyparquet/src/datapage.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import { readVarInt } from 'hyparquet/src/thrift.js';

/**
 * What a Parquet file announces is checked before it is decoded. The decoder trusts every number: it fills arrays with runs of
 * any length, so that 143 bytes take gigabytes.
 */

/** A file that would take far more time or memory than its size explains. */
export class ExcessiveParquet extends Error {
  override name = 'ExcessiveParquet';
}

const excessive = (what: string): never => {
  throw new ExcessiveParquet(what);
};

/** Structures in structures of the metadata; the format needs about six. */
const MAX_NESTING = 16;
const MAX_ELEMENTS = 2000;
/** Levels of groups in the schema: lists of lists of numbers in a group have six. */
const MAX_LEVELS = 12;

/** How many values the columns of a file can have, and how many more for each of its bytes. */
const MIN_VALUES = 1_000_000;
const VALUES_PER_BYTE = 16;

/** Snappy, the only compression that is read, makes at most this many bytes of one. */
const MAX_RATIO = 22;

interface Reader {
  readonly view: DataView;
  offset: number;
}

/** The types of the Thrift compact protocol. */
const [BYTE, I64, DOUBLE, BINARY, LIST, STRUCT] = [3, 6, 7, 8, 9, 12];

/**
 * Walks through a structure without keeping anything: lists have at least a byte for each element.
 * @throws ExcessiveParquet, RangeError at the end of the bytes
 */
export function checkThrift(reader: Reader, nesting = 0): void {
  if (nesting > MAX_NESTING) excessive(`its metadata is nested more than ${MAX_NESTING} deep`);
  for (;;) {
    const field = reader.view.getUint8(reader.offset++);
    if ((field & 15) === 0) return;
    if (field >> 4 === 0) readVarInt(reader);
    checkElement(reader, field & 15, nesting);
  }
}

function checkElement(reader: Reader, type: number, nesting: number): void {
  if (type === BYTE) reader.offset++;
  else if (type > BYTE && type <= I64) while ((reader.view.getUint8(reader.offset++) & 128) !== 0);
  else if (type === DOUBLE) reader.offset += 8;
  else if (type === BINARY) {
    const length = lengthIn(reader);
    reader.offset += length;
  } else if (type === LIST) {
    const head = reader.view.getUint8(reader.offset++);
    const count = head >> 4 === 15 ? lengthIn(reader) : head >> 4;
    if (nesting >= MAX_NESTING) excessive(`its metadata is nested more than ${MAX_NESTING} deep`);
    const element = (head & 15) <= 2 ? BYTE : head & 15;
    for (let at = 0; at < count; at++) checkElement(reader, element, nesting + 1);
  } else if (type === STRUCT) checkThrift(reader, nesting + 1);
}

/** A length that the rest of the bytes can have. */
function lengthIn(reader: Reader): number {
  const length = readVarInt(reader);
  const rest = reader.view.byteLength - reader.offset;
  return length >= 0 && length <= rest ? length : excessive('its metadata has a length beyond its end');
}

/** Checks the metadata at the end of a file. @throws ExcessiveParquet, RangeError */
export function checkFooter(file: ArrayBuffer): void {
  const view = new DataView(file);
  const end = view.byteLength - 8;
  checkThrift({ view: new DataView(file, 0, end), offset: end - view.getUint32(end, true) });
}

/** Checks what the metadata announce. @throws ExcessiveParquet */
export function checkMetadata({ schema, row_groups: groups }: FileMetaData, tree: SchemaTree, bytes: number): void {
  if (schema.length > MAX_ELEMENTS) excessive(`its schema has more than ${MAX_ELEMENTS} elements`);
  checkLevels(tree, 0);
  const most = MIN_VALUES + VALUES_PER_BYTE * bytes;
  let [values, used] = [0, 0];
  for (const { columns, num_rows: rows } of groups) {
    if (!(Number(rows) >= 0 && Number(rows) <= most)) excessive(`a group has ${rows} rows`);
    for (const { meta_data: column } of columns) {
      values += Number(column?.num_values ?? 0);
      used += Number(column?.total_compressed_size ?? 0);
    }
  }
  if (!(values >= 0 && values <= most)) excessive(`its ${bytes} bytes announce ${values} values`);
  if (!(used >= 0 && used <= bytes)) excessive('its columns have more bytes than the file');
}

/** Types whose decoding takes more than linear time, or calls itself as often as a value asks for. */
const UNSUPPORTED: ReadonlySet<string | undefined> = new Set(['VARIANT', 'GEOMETRY', 'GEOGRAPHY']);

function checkLevels({ children, element }: SchemaTree, level: number): void {
  if (level > MAX_LEVELS) excessive(`its schema has more than ${MAX_LEVELS} levels`);
  const isLong = element.converted_type === 'DECIMAL' && element.type !== 'INT32' && element.type !== 'INT64';
  if (isLong || UNSUPPORTED.has(element.logical_type?.type))
    excessive(`the type of the column ${element.name} is not supported`);
  for (const child of children) checkLevels(child, level + 1);
}

/** A column of a group of rows. */
export interface ParquetColumn {
  readonly metadata: ColumnMetaData;
  readonly schemaPath: SchemaTree[];
  readonly rows: number;
}

/** Checks the pages of a column before they are decoded. @throws ExcessiveParquet, RangeError */
export function checkColumn(bytes: ArrayBuffer, { metadata, schemaPath, rows }: ParquetColumn): void {
  const reader: Reader = { view: new DataView(bytes), offset: 0 };
  let values = Number(metadata.num_values);
  if (values < rows) excessive(`a column has ${values} values for ${rows} rows`);
  while (reader.offset < reader.view.byteLength - 1) {
    checkThrift({ ...reader });
    const header = parquetHeader(reader);
    const { compressed_page_size: size, uncompressed_page_size: inflated } = header;
    if (!(size >= 0 && reader.offset + size <= reader.view.byteLength)) excessive('a page ends after its column');
    if (!(inflated >= 0 && inflated <= MAX_RATIO * (size + 32)))
      excessive(`a page of ${size} bytes announces ${inflated}`);
    const page = new Uint8Array(bytes, reader.offset, size);
    values -= checkPage(page, header, metadata, schemaPath);
    if (values < 0) excessive('the pages of a column have more values than it announces');
    reader.offset += size;
  }
}

/** @returns how many values of the column the page has */
function checkPage(page: Uint8Array, header: PageHeader, { codec }: ColumnMetaData, path: SchemaTree[]): number {
  const { type, data_page_header: first, data_page_header_v2: second, dictionary_page_header: dictionary } = header;
  if (type === 'DICTIONARY_PAGE') {
    requireCount(dictionary?.num_values, header.uncompressed_page_size / plainBytes(path));
    return 0;
  }
  if (type === 'DATA_PAGE' && first !== undefined) {
    const count = requireCount(first.num_values, Infinity);
    const plain = decompressPage(page, header.uncompressed_page_size, codec, undefined);
    const reader = readerOf(plain);
    for (const width of levelWidths(path)) {
      const end = reader.offset + 4 + reader.view.getUint32(reader.offset, true);
      reader.offset += 4;
      checkRuns(reader, width, count);
      reader.offset = end;
    }
    checkValues(reader, first.encoding, count, path);
    return count;
  }
  if (type === 'DATA_PAGE_V2' && second !== undefined) {
    const count = requireCount(second.num_values, Infinity);
    requireCount(second.num_nulls, count);
    const [repetition = 0, definition = 0] = levelWidths(path, true);
    const lengths = [second.repetition_levels_byte_length, second.definition_levels_byte_length] as const;
    for (const length of lengths) requireCount(length, page.length);
    if (repetition > 0) checkRuns({ ...readerOf(page), offset: 0 }, repetition, count);
    if (definition > 0) checkRuns({ ...readerOf(page), offset: lengths[0] }, definition, count);
    const rest = page.subarray(lengths[0] + lengths[1]);
    const size = header.uncompressed_page_size - lengths[0] - lengths[1];
    if (size < 0) excessive('the levels of a page are longer than the page');
    const plain = second.is_compressed === false ? rest : decompressPage(rest, size, codec, undefined);
    checkValues(readerOf(plain), second.encoding, count - second.num_nulls, path);
    return count;
  }
  return excessive(`there is a page of the type ${type}`);
}

const readerOf = (bytes: Uint8Array): Reader => ({
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  offset: 0,
});

function requireCount(count: number | undefined, most: number): number {
  if (count !== undefined && count >= 0 && count <= most) return count;
  return excessive(`a page announces ${count} values`);
}

/** The bits of repetition and definition levels; without `both`, only of those that there are. */
function levelWidths(path: SchemaTree[], both = false): number[] {
  const widths = [getMaxRepetitionLevel(path), getMaxDefinitionLevel(path)].map((level) => 32 - Math.clz32(level));
  return both ? widths : widths.filter((width) => width > 0);
}

/** The least bytes of a plain value. */
function plainBytes(path: SchemaTree[]): number {
  const { type, type_length: length = 1 } = path.at(-1)?.element ?? {};
  switch (type) {
    case 'BOOLEAN':
      return 1 / 8;
    case 'INT64':
    case 'DOUBLE':
      return 8;
    case 'INT96':
      return 12;
    case 'FIXED_LEN_BYTE_ARRAY':
      return Math.max(1, length);
    default:
      return 4;
  }
}

/**
 * Checks encoded values.
 * @param count at least their number: it includes missing values
 */
function checkValues(reader: Reader, encoding: string, count: number, path: SchemaTree[]): void {
  const { type } = path.at(-1)?.element ?? {};
  if (count === 0 || encoding === 'PLAIN') return; // the decoder stops at the end of the page
  if (encoding === 'RLE') {
    if (type !== 'BOOLEAN') excessive(`the encoding ${encoding} is not supported`);
    reader.offset += 4;
    checkRuns(reader, 1, count);
  } else if (encoding === 'RLE_DICTIONARY' || encoding === 'PLAIN_DICTIONARY') {
    if (reader.offset >= reader.view.byteLength) return;
    const width = reader.view.getUint8(reader.offset++);
    if (width > 32) excessive(`a page has numbers of ${width} bits`);
    checkRuns(reader, width, count);
  } else if (encoding === 'DELTA_BINARY_PACKED' || encoding === 'DELTA_LENGTH_BYTE_ARRAY') {
    const [block, parts] = [readVarInt(reader), readVarInt(reader)];
    const isUsual = parts > 0 && parts <= 1024 && block > 0 && block <= 2 ** 20 && block % parts === 0;
    if (!isUsual) excessive(`a page has blocks of ${block} values in ${parts} parts`);
  } else if (encoding !== 'BYTE_STREAM_SPLIT' || type === 'FIXED_LEN_BYTE_ARRAY')
    excessive(`the encoding ${encoding} is not supported`);
}

/** How many values writers add to the last ones, so that they fill groups. */
const MAX_FILLING = 512;

/**
 * Checks that runs of one value are no longer than the values that are left. Packed values take bytes, so that the decoder
 * stops at the end of the page; writers fill them up.
 * @param width in bits
 */
function checkRuns(reader: Reader, width: number, count: number): void {
  for (let left = count; left > 0 && reader.offset < reader.view.byteLength;) {
    const head = readVarInt(reader);
    const isPacked = (head & 1) === 1;
    const length = isPacked ? 8 * (head >>> 1) : head >>> 1;
    const surplus = isPacked ? (width === 0 ? MAX_FILLING : Infinity) : 0;
    if (length === 0 || length > left + surplus) excessive(`a run has ${length} values, but ${left} are left`);
    reader.offset += isPacked ? (length / 8) * width : (width + 7) >> 3;
    left -= length;
  }
}
