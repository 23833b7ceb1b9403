// Small files that ask for much more than their size: what they announce, repeat, or inflate to.

import { buffer } from 'node:stream/consumers';
import { constants, crc32, deflateRawSync } from 'node:zlib';
import yazl from 'yazl';

/** A column with one file name, in a page with a run of 400,000,000 values. */
const RUN = 'UEFSMRUAFSYVJiwVAhUAFQYVBgAABgAAAICQvP0CAQUAAABhLmpwZxUCGfwCSARyb290FQIAFQwlAhgJZmlsZV9uYW1lABYCGfwBGfwBJggcFQwZ9QEAGfgBCWZpbGVfbmFtZRUAFgIWSBZIJggAABZIFgIAAE4AAABQQVIx'; // prettier-ignore
export const parquetOfRun = () => Buffer.from(RUN, 'base64');

/** The same, which announces 400,000,000 values and rows as well. */
const VALUES = 'UEFSMRUAFSYVJiwVgJC8/QIVABUGFQYAAAYAAACAkLz9AgEFAAAAYS5qcGcVAhn8AkgEcm9vdBUCABUMJQIYCWZpbGVfbmFtZQAWgJC8/QIZ/AEZ/AEmCBwVDBn1AQAZ+AEJZmlsZV9uYW1lFQAWgJC8/QIWUBZQJggAABZQFoCQvP0CAABaAAAAUEFSMQ=='; // prettier-ignore
export const parquetOfValues = () => Buffer.from(VALUES, 'base64');

/** 620 KB of YAML. */
export const yamlOfKeys = (keys = 60_000) =>
  Buffer.from(`${Array.from({ length: keys }, (_, key) => `k${String(key).padStart(5, '0')}: 1`).join('\n')}\n`);

/** A document whose pages are all the same. */
export function pdfOfOnePage(count = 50_000) {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${'3 0 R '.repeat(count)}] /Count ${count} >>`,
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << >> >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(`${text}${table}trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`, 'latin1');
}

/** A grey PNG whose pixels inflate to 3 GB of zeros, whatever its header says. */
export function pngOfZeros(width, height, inflated = 3e9) {
  const piece = Buffer.alloc(2 ** 20);
  // A full flush ends at a byte and forgets what was before, so the pieces can be repeated.
  const repeated = deflateRawSync(piece, { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const count = Math.ceil(inflated / piece.length);
  const end = deflateRawSync(Buffer.alloc(0));
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE((((count * piece.length) % 65_521) * 2 ** 16 + 1) >>> 0); // Adler-32 of zeros
  const pixels = Buffer.concat([Buffer.from([0x78, 0xda]), ...Array.from({ length: count }, () => repeated), end, sum]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const chunks = [['IHDR', header], ['IDAT', pixels], ['IEND', Buffer.alloc(0)]]; // prettier-ignore
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    ...chunks.flatMap(([type, data]) => {
      const [head, check] = [Buffer.alloc(8), Buffer.alloc(4)];
      head.writeUInt32BE(data.length, 0);
      head.write(type, 4, 'latin1');
      check.writeUInt32BE(crc32(data, crc32(head.subarray(4))), 0);
      return [head, data, check];
    }),
  ]);
}

/** @param {Record<string, Buffer | string>} files */
export function zipOf(files) {
  const zip = new yazl.ZipFile();
  for (const [path, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), path);
  zip.end();
  return buffer(zip.outputStream);
}
