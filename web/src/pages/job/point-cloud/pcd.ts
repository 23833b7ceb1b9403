import { decompress } from './lzf';
import { type CloudData, CloudBuilder } from './cloud-data';

/** A header is a few lines of text. */
const HEADER_BYTES = 4096;
/** Point size in a KITTI file: x, y, z and intensity as 32-bit floats, without a header. */
const KITTI_POINT_BYTES = 16;

/** A field of a point as the header declares it. */
interface Field {
  readonly name: string;
  /** Of one value, in bytes. */
  readonly size: number;
  readonly type: string;
  /** The number of values. */
  readonly count: number;
  /** Bytes of the fields before it in a point. */
  readonly offset: number;
  /** Values of the fields before it in a line of text. */
  readonly column: number;
}

interface Header {
  readonly fields: readonly Field[];
  readonly pointBytes: number;
  readonly points: number;
  readonly kind: 'ascii' | 'binary' | 'binary_compressed';
  /** Where the points start. */
  readonly end: number;
}

/** Reads a value of one field. @param point index of the point */
type Reader = (point: number) => number;

/**
 * Reads a point cloud: PCD (https://pointclouds.org/documentation/tutorials/pcd_file_format.html), or KITTI's format
 * without a header. Points without a position are left out.
 * @throws Error that says what is wrong with the file
 */
export function readPointCloud(file: ArrayBuffer): CloudData {
  const bytes = new Uint8Array(file);
  const header = readHeader(bytes);
  if (header === undefined) return readKitti(file);
  const readers = header.kind === 'ascii' ? textReaders(bytes, header) : binaryReaders(bytes, header);
  const [x, y, z] = ['x', 'y', 'z'].map((axis) => {
    const reader = readers(axis);
    if (reader === undefined) throw new Error(`The points have no ${axis} coordinate.`);
    return reader;
  }) as [Reader, Reader, Reader];
  const intensity = readers('intensity') ?? readers('i') ?? readers('reflectivity');
  const builder = new CloudBuilder(header.points, { intensity, color: readers('rgb') ?? readers('rgba') });
  for (let point = 0; point < header.points; point += 1) builder.add(point, x(point), y(point), z(point));
  return builder.build();
}

function readKitti(file: ArrayBuffer): CloudData {
  if (file.byteLength === 0 || file.byteLength % KITTI_POINT_BYTES !== 0) {
    throw new Error('The file is not a point cloud: it has no PCD header.');
  }
  const values = new DataView(file);
  const value = (point: number, at: number): number => values.getFloat32(point * KITTI_POINT_BYTES + at * 4, true);
  const points = file.byteLength / KITTI_POINT_BYTES;
  const builder = new CloudBuilder(points, { intensity: (point) => value(point, 3) });
  for (let point = 0; point < points; point += 1) builder.add(point, value(point, 0), value(point, 1), value(point, 2));
  return builder.build();
}

/** @returns undefined if the file has no header */
function readHeader(bytes: Uint8Array): Header | undefined {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, HEADER_BYTES));
  const data = /^DATA[ \t]+(ascii|binary|binary_compressed)[ \t]*\r?\n/m.exec(text);
  if (data === null) return undefined;
  const lines = text.slice(0, data.index);
  const words = (name: string): string[] =>
    new RegExp(`^${name}[ \\t]+(.+)$`, 'm').exec(lines)?.[1]?.trim().split(/\s+/) ?? [];
  const [sizes, types, counts] = [words('SIZE').map(Number), words('TYPE'), words('COUNT').map(Number)];
  let [offset, column] = [0, 0];
  const fields = words('FIELDS').map((name, at): Field => {
    const field = { name, size: sizes[at] ?? 4, type: types[at] ?? 'F', count: counts[at] ?? 1, offset, column };
    offset += field.size * field.count;
    column += field.count;
    return field;
  });
  const [width, height] = [Number(words('WIDTH')[0]), Number(words('HEIGHT')[0] ?? 1)];
  const points = Number(words('POINTS')[0] ?? width * height);
  if (!(Number.isSafeInteger(points) && points >= 0)) throw new Error('The header has no number of points.');
  return { fields, pointBytes: offset, points, kind: data[1] as Header['kind'], end: data.index + data[0].length };
}

/** @returns a function that finds the reader of a field; undefined if the points have no such field */
function binaryReaders(bytes: Uint8Array, header: Header): (name: string) => Reader | undefined {
  const { fields, points, pointBytes, kind, end } = header;
  // Compressed points are stored field by field, others point by point.
  const isByField = kind === 'binary_compressed';
  const content = isByField ? decompressed(bytes.subarray(end)) : bytes.subarray(end);
  if (content.length < points * pointBytes) throw truncatedFile();
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  return (name) => {
    const field = fields.find((one) => one.name === name);
    if (field === undefined) return undefined;
    const value = valueReader(view, field, isColor(name));
    const start = isByField ? field.offset * points : field.offset;
    const step = isByField ? field.size * field.count : pointBytes;
    return (point) => value(start + point * step);
  };
}

function decompressed(bytes: Uint8Array): Uint8Array {
  if (bytes.length < 8) throw truncatedFile();
  const sizes = new DataView(bytes.buffer, bytes.byteOffset);
  const compressed = sizes.getUint32(0, true);
  if (bytes.length < 8 + compressed) throw truncatedFile();
  return decompress(bytes.subarray(8, 8 + compressed), sizes.getUint32(4, true));
}

/** @param isPacked whether the bits of the value are a colour, even if its type is a float */
function valueReader(view: DataView, { type, size, name }: Field, isPacked: boolean): (at: number) => number {
  switch (isPacked ? `U${size}` : `${type}${size}`) {
    case 'F4':
      return (at) => view.getFloat32(at, true);
    case 'F8':
      return (at) => view.getFloat64(at, true);
    case 'U1':
      return (at) => view.getUint8(at);
    case 'U2':
      return (at) => view.getUint16(at, true);
    case 'U4':
      return (at) => view.getUint32(at, true);
    case 'U8':
      return (at) => Number(view.getBigUint64(at, true));
    case 'I1':
      return (at) => view.getInt8(at);
    case 'I2':
      return (at) => view.getInt16(at, true);
    case 'I4':
      return (at) => view.getInt32(at, true);
    case 'I8':
      return (at) => Number(view.getBigInt64(at, true));
    default:
      throw new Error(`The field ${name} has the unknown type ${type} of ${size} bytes.`);
  }
}

function textReaders(bytes: Uint8Array, { fields, points, end }: Header): (name: string) => Reader | undefined {
  const lines = new TextDecoder('latin1').decode(bytes.subarray(end)).trim().split(/\r?\n/);
  if (lines.length < points) throw truncatedFile();
  const columns = fields.reduce((sum, { count }) => sum + count, 0);
  const values = new Float64Array(points * columns);
  for (let point = 0; point < points; point += 1) {
    const words = (lines[point] ?? '').trim().split(/[ \t]+/);
    for (let column = 0; column < columns; column += 1) values[point * columns + column] = Number(words[column]);
  }
  return (name) => {
    const field = fields.find((one) => one.name === name);
    if (field === undefined) return undefined;
    const read: Reader = (point) => values[point * columns + field.column] ?? NaN;
    return isColor(name) && field.type === 'F' ? (point) => bitsOf(read(point)) : read;
  };
}

const isColor = (name: string): boolean => name === 'rgb' || name === 'rgba';

const scratch = new DataView(new ArrayBuffer(4));

/** The bits of a 32-bit float, in which PCD files pack a colour. */
function bitsOf(value: number): number {
  scratch.setFloat32(0, value);
  return scratch.getUint32(0);
}

const truncatedFile = (): Error => new Error('The file ends early: it has fewer points than its header says.');
