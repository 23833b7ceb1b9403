import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { SchemaElement } from 'hyparquet';
import type { MetadataRow } from './rows.js';

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;

const leaf = (name: string, type: Pick<SchemaElement, 'type' | 'converted_type'>): SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', ...type },
];

/** A list in the three-level form that the format prescribes. */
const list = (name: string, element: SchemaElement[]): SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  ...element,
];

const texts = (name: string): SchemaElement[] => list(name, leaf('element', TEXT));
const numbers = (name: string, type: 'DOUBLE' | 'INT32' | 'BOOLEAN'): SchemaElement[] =>
  list(name, leaf('element', { type }));
const numberLists = (name: string): SchemaElement[] => list(name, numbers('element', 'DOUBLE'));

const OBJECTS = [
  numberLists('bbox'),
  texts('category'),
  texts('type'),
  numberLists('points'),
  numbers('rotation', 'DOUBLE'),
  numbers('occluded', 'BOOLEAN'),
  numbers('z_order', 'INT32'),
  numbers('group', 'INT32'),
  numbers('track_id', 'INT32'),
  numbers('keyframe', 'BOOLEAN'),
  texts('attributes'),
];

const COLUMNS = ['file_name', 'width', 'height', 'tags', 'tag_attributes', 'objects'] as const;

const SCHEMA: SchemaElement[] = [
  { name: 'schema', num_children: COLUMNS.length },
  ...leaf('file_name', TEXT),
  ...leaf('width', { type: 'INT32' }),
  ...leaf('height', { type: 'INT32' }),
  ...texts('tags'),
  ...texts('tag_attributes'),
  { name: 'objects', repetition_type: 'OPTIONAL', num_children: OBJECTS.length },
  ...OBJECTS.flat(),
];

/** Limits of a group of rows, which is held in memory. */
const MAX_ROWS = 500;
const MAX_OBJECTS = 20_000;

/** A Parquet file with the rows, group by group. */
export async function* parquetOf(rows: AsyncIterable<MetadataRow>): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const parquet = new ParquetWriter({ writer: bytes, schema: SCHEMA, createdBy: 'Cairn' });
  let group: MetadataRow[] = [];
  let objects = 0;
  const write = async (): Promise<Uint8Array> => {
    const columnData = COLUMNS.map((name) => ({ name, data: group.map((row) => row[name]) }));
    await parquet.write({ columnData, rowGroupSize: group.length });
    group = [];
    objects = 0;
    return taken(bytes);
  };
  for await (const row of rows) {
    group.push(row);
    objects += row.objects.type.length;
    if (group.length === MAX_ROWS || objects >= MAX_OBJECTS) yield await write();
  }
  if (group.length > 0) yield await write();
  await parquet.finish();
  yield taken(bytes);
}

/** The bytes that were written since the last call. The offsets in the file count on. */
function taken(writer: ByteWriter): Uint8Array {
  const written = writer.getBytes().slice();
  writer.index = 0;
  return written;
}
