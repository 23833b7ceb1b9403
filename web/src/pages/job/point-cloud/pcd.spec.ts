import { describe, expect, it } from '@jest/globals';
import type { CloudData } from './cloud-data';
import { readPointCloud } from './pcd';

interface Layout {
  readonly fields?: string;
  readonly sizes?: string;
  readonly types?: string;
  readonly points: number;
  readonly kind: string;
}

const header = ({ fields = 'x y z', sizes = '4 4 4', types = 'F F F', points, kind }: Layout): string =>
  `# .PCD v0.7\nVERSION 0.7\nFIELDS ${fields}\nSIZE ${sizes}\nTYPE ${types}\n` +
  `COUNT ${sizes.replaceAll(/\d/g, '1')}\nWIDTH ${points}\nHEIGHT 1\nPOINTS ${points}\nDATA ${kind}\n`;

const file = (text: string, content = new Uint8Array()): ArrayBuffer =>
  new Uint8Array([...new TextEncoder().encode(text), ...content]).buffer;

const floats = (...values: number[]): Uint8Array<ArrayBuffer> => new Uint8Array(Float32Array.from(values).buffer);

/** The absolute positions, sorted because their order is random. */
function positionsOf({ count, positions, origin }: CloudData): number[][] {
  const rows = Array.from({ length: count }, (_, i) =>
    origin.map((start, axis) => start + (positions[i * 3 + axis] ?? 0)),
  );
  return rows.sort(([a = 0], [b = 0]) => a - b);
}

const THREE = [
  [1, 2, 3],
  [4, 5, 6],
  [7, 8, 9],
];

describe('a point cloud', () => {
  it('is read from text', () => {
    const cloud = readPointCloud(file(`${header({ points: 3, kind: 'ascii' })}1 2 3\n4 5 6\n7 8 9\n`));
    expect(positionsOf(cloud)).toEqual(THREE);
    expect(cloud.intensities).toBeUndefined();
  });

  it('is read from binary points with other fields between', () => {
    const layout = {
      fields: 'x ring y z intensity',
      sizes: '4 1 4 4 2',
      types: 'F U F F U',
      points: 2,
      kind: 'binary',
    };
    const point = (x: number, intensity: number): number[] => [
      ...floats(x),
      9,
      ...floats(2, 3),
      intensity % 256,
      Math.floor(intensity / 256),
    ];
    const cloud = readPointCloud(file(header(layout), new Uint8Array([...point(1, 300), ...point(4, 5)])));
    expect(positionsOf(cloud)).toEqual([
      [1, 2, 3],
      [4, 2, 3],
    ]);
    expect([...(cloud.intensities ?? [])].sort((a, b) => a - b)).toEqual([5, 300]);
  });

  it('is read from compressed points, which are stored field by field', () => {
    const raw = floats(1, 4, 7, 2, 5, 8, 3, 6, 9);
    const literals = [31, ...raw.slice(0, 32), 3, ...raw.slice(32)];
    expect(positionsOf(readPointCloud(compressed(literals, 36)))).toEqual(THREE);
  });

  it('is read from compressed points that repeat', () => {
    // Four bytes, then twice the copy of what is four bytes before, overlapping with itself.
    const repeated = [3, ...floats(2), 7 << 5, 23, 3];
    expect(positionsOf(readPointCloud(compressed(repeated, 36)))).toEqual([
      [2, 2, 2],
      [2, 2, 2],
      [2, 2, 2],
    ]);
  });

  it('is read from a KITTI file', () => {
    const cloud = readPointCloud(floats(1, 2, 3, 0.5, 4, 5, 6, 0.25).buffer);
    expect(positionsOf(cloud)).toEqual(THREE.slice(0, 2));
    expect([...(cloud.intensities ?? [])].sort((a, b) => a - b)).toEqual([0.25, 0.5]);
  });

  it('keeps millimetres of geographic coordinates', () => {
    const layout = { sizes: '8 8 8', points: 2, kind: 'binary' };
    const values = new Uint8Array(Float64Array.from([500_000.123, 1, 2, 500_001.456, 1, 2]).buffer);
    const [[first = 0] = [], [second = 0] = []] = positionsOf(readPointCloud(file(header(layout), values)));
    expect(first).toBeCloseTo(500_000.123, 4);
    expect(second).toBeCloseTo(500_001.456, 4);
  });

  it('leaves out points without a position', () => {
    const text = `${header({ points: 2, kind: 'ascii' })}nan nan nan\n4 5 6\n`;
    expect(positionsOf(readPointCloud(file(text)))).toEqual([[4, 5, 6]]);
  });

  it('has the colours of its points', () => {
    const layout = { fields: 'x y z rgb', sizes: '4 4 4 4', types: 'F F F F', points: 1, kind: 'binary' };
    const cloud = readPointCloud(file(header(layout), new Uint8Array([...floats(1, 2, 3), 30, 20, 10, 0])));
    expect([...(cloud.colors ?? [])]).toEqual([10, 20, 30]);
  });

  it('has a range of heights without outliers', () => {
    const lines = Array.from({ length: 1000 }, (_, i) => `0 0 ${i === 7 ? 9999 : i / 100}`).join('\n');
    const { heightRange } = readPointCloud(file(`${header({ points: 1000, kind: 'ascii' })}${lines}\n`));
    expect(heightRange[0]).toBeCloseTo(0.2, 1);
    expect(heightRange[1]).toBeCloseTo(9.8, 1);
  });

  it.each([
    ['a file that ends early', file(header({ points: 3, kind: 'binary' }), floats(1, 2, 3)), 'ends early'],
    ['text with too few lines', file(`${header({ points: 3, kind: 'ascii' })}1 2 3\n`), 'ends early'],
    ['damaged compression', compressed([7, 1, 2], 36), 'damaged'],
    ['a copy of bytes before the start', compressed([7 << 5, 23, 3], 36), 'damaged'],
    ['another file', new Uint8Array([1, 2, 3]).buffer, 'not a point cloud'],
    [
      'points without height',
      file(`${header({ fields: 'x y a', points: 1, kind: 'ascii' })}1 2 3\n`),
      'no z coordinate',
    ],
  ])('refuses %s', (_, content, message) => {
    expect(() => readPointCloud(content)).toThrow(message);
  });
});

function compressed(bytes: readonly number[], size: number): ArrayBuffer {
  const sizes = new Uint8Array(Uint32Array.from([bytes.length, size]).buffer);
  return file(header({ points: 3, kind: 'binary_compressed' }), new Uint8Array([...sizes, ...bytes]));
}
