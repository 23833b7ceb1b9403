import { describe, expect, it } from '@jest/globals';
import { imported, MemoryFiles } from '../../../../../test/support/datasets.js';
import { parquetImport } from './import.js';

/** The compact protocol of Thrift, as far as Parquet files need it. */
type Field = readonly [id: number, type: number, content: Buffer];

const [I32, I64, BINARY, LIST, STRUCT] = [5, 6, 8, 9, 12];

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) | (rest >= 128 ? 128 : 0));
    if (rest < 128) return Buffer.from(bytes);
  }
}

const whole = (value: number): Buffer => varint(value < 0 ? -2 * value - 1 : 2 * value);
const text = (value: string): Buffer => Buffer.concat([varint(value.length), Buffer.from(value)]);
const int = (id: number, value: number): Field => [id, I32, whole(value)];
const long = (id: number, value: number): Field => [id, I64, whole(value)];

function struct(...fields: readonly Field[]): Buffer {
  let last = 0;
  const parts = fields.flatMap(([id, type, content]) => {
    const head = Buffer.from([((id - last) << 4) | type]);
    last = id;
    return [head, content];
  });
  return Buffer.concat([...parts, Buffer.from([0])]);
}

const list = (type: number, items: readonly Buffer[], count = items.length): Buffer =>
  Buffer.concat([Buffer.from([0xf0 | type]), varint(count), ...items]);

interface Parts {
  /** How many values the page and the metadata announce. */
  readonly values?: number;
  readonly rows?: number;
  /** The length of the run of definition levels. */
  readonly run?: number;
  /** What the page announces as its size. */
  readonly inflated?: number;
  /** What the metadata announce as the size of the column. */
  readonly size?: number;
  /** The number of elements of the schema that its list announces. */
  readonly elements?: number;
}

/** A file with a column of file names, one of which is there. */
function parquetFile({ values = 1, rows = 1, run = 1, inflated, size, elements = 2 }: Parts): Buffer {
  const levels = Buffer.concat([varint(2 * run), Buffer.from([1])]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(levels.length);
  const page = Buffer.concat([length, levels, Buffer.from([5, 0, 0, 0]), Buffer.from('a.jpg')]);
  const head = struct(
    int(1, 0),
    int(2, inflated ?? page.length),
    int(3, page.length),
    [5, STRUCT, struct(int(1, values), int(2, 0), int(3, 3), int(4, 3))], // prettier-ignore
  );
  const data = Buffer.concat([head, page]);
  const column = struct(
    int(1, 6),
    [2, LIST, list(I32, [whole(0)])],
    [3, LIST, list(BINARY, [text('file_name')])],
    int(4, 0),
    long(5, values),
    long(6, data.length),
    long(7, size ?? data.length),
    long(9, 4),
  );
  const schema = [
    struct([4, BINARY, text('root')], int(5, 1)),
    struct(int(1, 6), int(3, 1), [4, BINARY, text('file_name')]),
  ];
  const group = struct([1, LIST, list(STRUCT, [struct(long(2, 4), [3, STRUCT, column])])], long(2, data.length), long(3, rows)); // prettier-ignore
  const metadata = struct(int(1, 1), [2, LIST, list(STRUCT, schema, elements)], long(3, rows), [
    4,
    LIST,
    list(STRUCT, [group]),
  ]);
  const end = Buffer.alloc(4);
  end.writeUInt32LE(metadata.length);
  return Buffer.concat([Buffer.from('PAR1'), data, metadata, end, Buffer.from('PAR1')]);
}

const readingOf = (parts: Parts): Promise<unknown> =>
  imported(parquetImport, MemoryFiles.of({ 'metadata.parquet': parquetFile(parts) }));

describe('a Parquet file', () => {
  it('is read if its numbers are right', async () => {
    await expect(readingOf({})).resolves.toMatchObject({ shapes: [] });
  });

  it.each<readonly [Parts, string]>([
    [{ run: 400_000_000 }, 'a run has 400000000 values, but 1 are left'],
    [{ values: 400_000_000, run: 400_000_000 }, /its \d+ bytes announce 400000000 values/.source],
    [{ values: -1 }, /its \d+ bytes announce -1 values/.source],
    [{ rows: 2 ** 40 }, 'a group has 1099511627776 rows'],
    [{ rows: 5 }, 'a column has 1 values for 5 rows'],
    [{ inflated: 2 ** 31 - 1 }, /a page of \d+ bytes announces 2147483647/.source],
    [{ size: 2 ** 31 }, 'its columns have more bytes than the file'],
    [{ elements: 2 ** 24 }, 'its metadata has a length beyond its end'],
  ])('is refused before it is decoded if its numbers are not: %j', async (parts, message) => {
    await expect(readingOf(parts)).rejects.toThrow(new RegExp(`^metadata.parquet.*: ${message}`));
  });
});
