import { open } from 'node:fs/promises';
import { posix } from 'node:path';
import { naming } from './image-source.js';
import { sharp } from './libvips.js';
import { MediaError, quoted } from './media-error.js';

/** The size of a point cloud: organized ones have rows, others have one row with all points. */
export interface PointCloudSize {
  width: number;
  height: number;
}

/** A header consists of a few lines of text. */
const HEADER_BYTES = 4096;
/** Point size in a `.bin`: x, y, z and intensity as 32-bit floats (the KITTI format). */
const BIN_POINT_BYTES = 16;
/** LZF, the compression of PCD, gives 264 bytes for three at best. */
const MAX_RATIO = 88;
const PREVIEW_SIDE = 256;
const BACKGROUND = 24;
const isBin = (name: string): boolean => posix.extname(name).toLowerCase() === '.bin';

/**
 * Reads the header of a point cloud, and checks that the file contains the declared points.
 * @param path of the file
 * @param name the client's name for it; the extension determines the format
 * @throws MediaError that names the file
 */
export function probePointCloud(path: string, name: string): Promise<PointCloudSize> {
  return naming(name, async () => {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
      return isBin(name) ? binSize(size, name) : pcdSize(buffer.subarray(0, bytesRead), size, name);
    } finally {
      await file.close();
    }
  });
}

/** Converts a point cloud to PCD, the format of clients: a `.bin` gets a header, its points are unchanged. */
export function asPcd(file: Buffer, name: string): Buffer {
  if (!isBin(name)) return file;
  const { width } = binSize(file.length, name);
  const header = [
    '# .PCD v0.7 - Point Cloud Data file format',
    'VERSION 0.7',
    'FIELDS x y z intensity',
    'SIZE 4 4 4 4',
    'TYPE F F F F',
    'COUNT 1 1 1 1',
    `WIDTH ${width}`,
    'HEIGHT 1',
    'VIEWPOINT 0 0 0 1 0 0 0',
    `POINTS ${width}`,
    'DATA binary',
  ];
  return Buffer.concat([Buffer.from(`${header.join('\n')}\n`), file]);
}

/** The preview of every point cloud: a few rings, like those of a laser scanner. */
export function pointCloudPreview(): Promise<Buffer> {
  const pixels = Buffer.alloc(PREVIEW_SIDE * PREVIEW_SIDE, BACKGROUND);
  const centre = PREVIEW_SIDE / 2;
  for (let ring = 1; ring <= 8; ring++) {
    const points = ring * 40;
    for (let point = 0; point < points; point++) {
      const angle = (2 * Math.PI * point) / points;
      const x = Math.round(centre + ring * 14 * Math.cos(angle));
      const y = Math.round(centre + ring * 9 * Math.sin(angle));
      pixels[y * PREVIEW_SIDE + x] = 255 - ring * 18;
    }
  }
  const raw = { width: PREVIEW_SIDE, height: PREVIEW_SIDE, channels: 1 } as const;
  return sharp(pixels, { raw }).jpeg().toBuffer();
}

function binSize(bytes: number, name: string): PointCloudSize {
  if (bytes === 0 || bytes % BIN_POINT_BYTES !== 0) {
    throw brokenCloud(name, `its length is no multiple of ${BIN_POINT_BYTES} bytes`);
  }
  return { width: bytes / BIN_POINT_BYTES, height: 1 };
}

/** https://pointclouds.org/documentation/tutorials/pcd_file_format.html */
function pcdSize(head: Buffer, bytes: number, name: string): PointCloudSize {
  const text = head.toString('latin1');
  const data = /^DATA[ \t]+(ascii|binary|binary_compressed)[ \t]*\r?\n/m.exec(text);
  if (data === null) throw brokenCloud(name, 'there is no line with DATA');
  const header = text.slice(0, data.index);
  const numbers = (field: string): number[] => {
    const values = new RegExp(`^${field}[ \\t]+(.+)$`, 'm').exec(header)?.[1]?.trim().split(/\s+/).map(Number) ?? [];
    if (values.every((value) => Number.isSafeInteger(value) && value > 0)) return values;
    throw brokenCloud(name, `${field} must be positive whole numbers`);
  };
  const [[width = 0], [height = 0]] = [numbers('WIDTH'), numbers('HEIGHT')];
  const points = numbers('POINTS')[0] ?? width * height;
  if (width < 1 || height < 1 || width * height !== points)
    throw brokenCloud(name, 'WIDTH and HEIGHT must give POINTS');
  const sizes = numbers('SIZE');
  if (sizes.length === 0) throw brokenCloud(name, 'SIZE is missing');
  const counts = numbers('COUNT');
  const pointBytes = sizes.reduce((sum, size, at) => sum + size * (counts[at] ?? 1), 0);
  // Compressed points start with two lengths. A point in text takes at least two characters per field.
  const compressed = 8 + (points * pointBytes) / MAX_RATIO;
  const least = { ascii: points * 2 * sizes.length - 1, binary: points * pointBytes, binary_compressed: compressed };
  const kind = data[1] as keyof typeof least;
  if (bytes - data.index - data[0].length < least[kind]) throw brokenCloud(name, 'it ends early');
  return { width, height };
}

const brokenCloud = (name: string, why: string): MediaError =>
  new MediaError(`ValueError: ${quoted(name)} is not a point cloud: ${why}`);
