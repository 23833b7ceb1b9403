// Malicious and broken files, which must not harm the server. `node test/corpus/make.mjs FOLDER` writes them, to be
// sent by hand; test/api/media/corpus.spec.ts sends each. All are generated here; none is third-party.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { crc32, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { pack } from 'tar-stream';

/**
 * @typedef {object} Case
 * @property {string} label
 * @property {Record<string, Buffer>} files by the names in the upload
 * @property {Record<string, string>} [parameters] of the request
 * @property {string} [says] text of the error; the name of the first file if absent
 * @property {string[]} [frames] the frames of the task, if the files are harmless
 * @property {boolean} [unreadable] whether the chunk with these frames is refused
 */

/** @returns {Promise<Case[]>} */
export async function corpus() {
  return [...(await images()), ...(await archives()), ...names(), ...(await entries()), ...bombs(), ...manifests()];
}

const PHOTO = await sharp({
  create: {
    width: 160,
    height: 120,
    channels: 3,
    background: '#000',
    noise: { type: 'gaussian', mean: 128, sigma: 40 },
  },
})
  .jpeg()
  .toBuffer();
const PNG = await sharp(PHOTO).png().toBuffer();

const one = (name, content, more = {}) => ({ label: name, files: { [name]: content }, ...more });

/** Truncated at every tenth of its length. */
const tenths = (name, content) =>
  [1, 2, 3, 4, 5, 6, 7, 8, 9].map((tenth) => ({
    label: `${name} cut at ${tenth} tenths`,
    files: { [name]: content.subarray(0, Math.floor((content.length * tenth) / 10)) },
  }));

async function images() {
  const of = (format, options) => sharp(PHOTO).toFormat(format, options).toBuffer();
  const tiff = await of('tiff', { compression: 'lzw' });
  return [
    ...['jpg', 'png', 'tif', 'webp', 'gif', 'bmp', 'avif', 'pgm', 'zip', 'tar', 'tgz', 'pdf', 'pcd'].map((extension) =>
      one(`empty.${extension}`, Buffer.alloc(0)),
    ),
    one('text.jpg', Buffer.from('this is no picture')),
    one('vector.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')),
    one('archive.jpg', zip([{ name: 'a.jpg', data: PHOTO }])),
    one('photo.zip', PHOTO),
    one('photo.tar', PHOTO),
    one('photo.pdf', PHOTO),
    one('page.png', Buffer.from('%PDF-1.4 of an image')),
    one('png.jpg', PNG, { label: 'a PNG that is called a JPEG', frames: ['png.jpg'] }),
    one('wide.png', pngOf(100_000, 100_000), { says: "'wide.png' has too many pixels" }),
    one('wide.bmp', bmpOf(100_000, 100_000), { says: "'wide.bmp' has too many pixels" }),
    one('wide.pgm', Buffer.from('P5 100000 100000 255\n'), { says: "'wide.pgm' has too many pixels" }),
    one('wide.tif', tiffOf(100_000, 100_000), { says: "'wide.tif'" }),
    one('wide.jpg', resized(PHOTO, 65_500, 65_500), { says: "'wide.jpg' has too many pixels" }),
    one('wide.gif', gifOf(65_535, 65_535), { label: 'a GIF of one pixel that says it is wide', frames: ['wide.gif'] }),
    one('negative.bmp', bmpOf(-5, 10)),
    one('none.png', pngOf(0, 0)),
    one('crc.png', changed(PNG, PNG.length - 30, 0xff), {
      label: 'a PNG with a wrong checksum, which is seen when it is read',
      frames: ['crc.png'],
      unreadable: true,
    }),
    ...tenths('cut.jpg', PHOTO),
    ...tenths('cut.png', PNG),
    ...tenths('cut.tif', tiff),
    ...tenths('cut.webp', await of('webp')),
    ...tenths('cut.gif', await of('gif')),
    ...tenths('cut.avif', await of('avif')),
    ...tenths('cut.bmp', bmpOf(40, 30)),
  ];
}

async function archives() {
  const files = [
    { name: 'a.jpg', data: PHOTO },
    { name: 'b.png', data: PNG },
  ];
  const whole = zip(files);
  const tar = await tarOf(files);
  const broken = (label, change) => one('lies.zip', zip(files, change), { label, says: '' });
  return [
    ...tenths('cut.zip', whole),
    ...tenths('cut.tar', tar),
    ...tenths('cut.tgz', gzipSync(tar)),
    broken('a zip with another checksum', { crc: () => 1 }),
    broken('a zip whose directory says less', { size: (size) => size - 5 }),
    broken('a zip whose directory says more', { size: (size) => size + 5 }),
    broken('a zip whose directory says too little of what is packed', { packed: (size) => size - 9 }),
    broken('a zip whose directory says too much of what is packed', { packed: (size) => size + 1e6 }),
    broken('a zip with four gigabytes to come', { size: () => 0xfffffffe }),
    broken('a zip with an unknown method', { method: () => 99 }),
    broken('a zip with a password', { flags: () => 0x801 }),
    broken('a zip whose entries begin elsewhere', { offset: (offset) => offset + 7 }),
    broken('a zip whose entries begin beyond its end', { offset: () => 0x7fffffff }),
    broken('a zip with more entries in its end', { count: () => 9 }),
    broken('a zip whose directory begins elsewhere', { directory: (at) => at - 3 }),
    one('fewer.zip', zip(files, { count: () => 1 }), {
      label: 'a zip with fewer entries in its end: there are no others',
      frames: ['a.jpg'],
    }),
    one('local.zip', zip(files, { localName: () => 'zz.jpg' }), {
      label: 'a zip whose entries have other names before them: those of the directory count',
      frames: ['a.jpg', 'b.png'],
    }),
    one('text.zip', Buffer.from('PK\x03\x04 and no more')),
    one('nested.zip', zip([{ name: 'inner.zip', data: whole }]), { says: 'No image found' }),
    one('nested.tar', await tarOf([{ name: 'inner.tar', data: tar }]), { says: 'No image found' }),
    one('beside.zip', zip([{ name: 'inner.zip', data: whole }, ...files]), {
      label: 'a zip in a zip beside images: it is passed over',
      frames: ['a.jpg', 'b.png'],
    }),
    one('bad.zip', zip([...files, { name: 'x/c.jpg', data: Buffer.from('no') }]), { says: "'x/c.jpg'" }),
    one('link.tar', await tarOf([{ name: 'a.jpg', type: 'symlink', linkname: '/etc/passwd' }]), { says: "'a.jpg'" }),
    one('device.tar', await tarOf([{ name: 'a.jpg', type: 'character-device' }]), { says: 'No image found' }),
    one('link.zip', zip([{ name: 'a.jpg', data: Buffer.from('/etc/passwd') }], { mode: () => 0o120777 }), {
      says: "'a.jpg' in the archive is a symbolic link",
    }),
  ];
}

/** File names of uploads. */
function names() {
  return [
    { label: 'a name of 300 characters', files: { [`${'n'.repeat(300)}.jpg`]: PHOTO }, says: 'is too long' },
    { label: 'a name with a NUL', files: { 'a\0b.jpg': PHOTO }, says: 'Malformed part header' },
    { label: 'a name of dots', files: { '..': PHOTO }, says: 'File name .. is not allowed' },
    { label: 'a name that leads out: its last part counts', files: { '../../a.jpg': PHOTO }, frames: ['a.jpg'] },
    { label: 'an absolute name: its last part counts', files: { '/etc/a.jpg': PHOTO }, frames: ['a.jpg'] },
    { label: 'a name of Windows: its last part counts', files: { 'C:\\x\\a.jpg': PHOTO }, frames: ['a.jpg'] },
  ];
}

/** File names within archives. */
async function entries() {
  const cases = [
    ['../a.jpg', "'../a.jpg' is not allowed"],
    ['x/../../a.jpg', "'x/../../a.jpg' is not allowed"],
    ['/a.jpg', "'/a.jpg' is not allowed"],
    ['..\\a.jpg', "'..\\\\a.jpg' is not allowed"],
    ['C:\\a.jpg', "'C:\\\\a.jpg' is not allowed"],
    ['a\0.jpg', "'a\\x00.jpg' is not allowed"],
    [`${'n'.repeat(300)}.jpg`, 'is too long'],
    [`${'n/'.repeat(600)}a.jpg`, 'is too long'],
  ];
  return [
    ...cases.map(([name, says]) => one('name.zip', zip([{ name, data: PHOTO }]), { label: `zip with ${name.slice(0, 20)}`, says })),
    ...(await Promise.all(
      cases
        .filter(([name]) => !name.includes('\0'))
        .map(async ([name, says]) =>
          one('name.tar', await tarOf([{ name, data: PHOTO }]), { label: `tar with ${name.slice(0, 20)}`, says }),
        ),
    )),
    one('windows.zip', zip([{ name: 'x\\a.jpg', data: PHOTO }]), { frames: ['x/a.jpg'] }),
    one('twice.zip', zip([{ name: 'a.jpg', data: PHOTO }, { name: 'a.jpg', data: PHOTO }]), { says: "contains the file 'a.jpg' twice" }),
    one('same.zip', zip([{ name: 'a.jpg', data: PHOTO }, { name: './a.jpg', data: PHOTO }]), { says: "contains the file 'a.jpg' twice" }),
    one('folder.zip', zip([{ name: 'a.jpg', data: PHOTO }, { name: 'a.jpg/b.jpg', data: PHOTO }]), { says: "'a.jpg/b.jpg'" }),
    one('folder.tar', await tarOf([{ name: 'a.jpg/b.jpg', data: PHOTO }, { name: 'a.jpg', data: PHOTO }]), { says: "'a.jpg'" }),
  ]; // prettier-ignore
}

function bombs() {
  const zeros = { name: 'zeros.bmp', data: Buffer.alloc(300 * 2 ** 20) };
  const stored = [{ name: 'a.jpg', data: PHOTO }];
  return [
    one('bomb.zip', zip([zeros], { deflate: true }), { says: "'bomb.zip' holds more than 100 times its own size" }),
    one('bomb.tgz', gzipSync(Buffer.concat([tarHeader('a.png', 2 ** 33), Buffer.alloc(2 ** 20)])), {
      says: "'bomb.tgz' holds more than",
    }),
    one('overlap.zip', zip(Array(3000).fill(stored[0]).map((file, at) => ({ ...file, name: `${at}.jpg` })), { offset: () => 0 }), {
      label: 'a zip of 3,000 entries in one place',
      says: '',
    }),
    one('pixels.png', pngOf(15_000, 15_000, deflateSync(Buffer.alloc(2 ** 20))), {
      label: 'a PNG with most of its pixels missing, which is seen when it is read',
      frames: ['pixels.png'],
      unreadable: true,
    }),
  ]; // prettier-ignore
}

function manifests() {
  const head = '{"version":"1.1"}\n{"type":"images"}\n';
  const line = (fields) => `${JSON.stringify({ extension: '.jpg', ...fields })}\n`;
  const sent = (label, text, says = "'manifest.jsonl'") => ({
    label: `a manifest with ${label}`,
    files: { 'a.jpg': PHOTO, 'manifest.jsonl': Buffer.from(text) },
    parameters: { sorting_method: 'predefined' },
    says,
  });
  return [
    sent('nothing', ''),
    sent('no version', head.slice(18)),
    sent('another version', head.replace('1.1', '7')),
    sent('another type', head.replace('images', 'sounds')),
    sent('broken JSON', `${head}{"name":`),
    sent('binary', Buffer.concat([Buffer.from(head), Buffer.alloc(2000, 0xff)])),
    sent('a number for a name', head + line({ name: 7 })),
    sent('negative sizes', head + line({ name: 'a', width: -1, height: 5 })),
    sent('a file that was not sent', head + line({ name: 'z' }), "'z.jpg'"),
    sent('a name that leads out', head + line({ name: '../../etc/passwd' }), 'etc/passwd'),
    sent('a file twice', head + line({ name: 'a' }) + line({ name: 'a' }), "'a.jpg'"),
    sent('a line without end', head + `{"name":"${'a'.repeat(3 * 2 ** 20)}`),
    {
      label: 'two manifests',
      files: { 'a.jpg': PHOTO, 'm.jsonl': Buffer.from(head), 'n.jsonl': Buffer.from(head) },
      says: 'Only one manifest file',
    },
  ];
}

/**
 * A zip archive whose headers may be wrong.
 *
 * @param {{name: string, data: Buffer}[]} files
 * @param {object} lies functions of the true value: `size`, `packed`, `crc`, `method`, `flags`, `offset`, `mode`,
 *   `localName` of entries, `count` and `directory` of the end
 */
function zip(files, lies = {}) {
  const told = (key, value) => (lies[key] === undefined ? value : lies[key](value));
  const parts = [];
  const directory = [];
  let at = 0;
  for (const { name, data } of files) {
    const packed = lies.deflate === true ? deflateRawSync(data) : data;
    const fields = (size, packedSize) => {
      const header = Buffer.alloc(26);
      header.writeUInt16LE(20, 0);
      header.writeUInt16LE(told('flags', 0x800), 2);
      header.writeUInt16LE(told('method', lies.deflate === true ? 8 : 0), 4);
      header.writeUInt32LE(0x21, 6);
      header.writeUInt32LE(told('crc', crc32(data)), 10);
      header.writeUInt32LE(packedSize, 14);
      header.writeUInt32LE(size, 18);
      return header;
    };
    const local = fields(data.length, packed.length);
    const localName = Buffer.from(told('localName', name));
    local.writeUInt16LE(localName.length, 22);
    const own = Buffer.from(name);
    const central = Buffer.alloc(46);
    central.write('PK\x01\x02', 'latin1');
    central.writeUInt16LE(0x0314, 4);
    fields(told('size', data.length), told('packed', packed.length)).copy(central, 6);
    central.writeUInt16LE(own.length, 28);
    central.writeUInt32LE(told('mode', 0o100644) * 2 ** 16, 38);
    central.writeUInt32LE(told('offset', at), 42);
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), local, localName, packed);
    directory.push(central, own);
    at += 30 + localName.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(told('count', files.length), 8);
  end.writeUInt16LE(told('count', files.length), 10);
  end.writeUInt32LE(
    directory.reduce((sum, part) => sum + part.length, 0),
    12,
  );
  end.writeUInt32LE(told('directory', at), 16);
  return Buffer.concat([...parts, ...directory, end]);
}

function tarOf(files) {
  const tar = pack();
  for (const { data, ...header } of files) {
    if (data === undefined) tar.entry(header);
    else tar.entry(header, data);
  }
  tar.finalize();
  return buffer(tar);
}

/** The header of a tar entry that declares `size` bytes. */
export function tarHeader(name, size) {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** A PNG that declares this size and has the given pixels. */
function pngOf(width, height, pixels = deflateSync(Buffer.alloc(10))) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

function bmpOf(width, height) {
  const pixels = Math.min(Math.abs(width * height) * 3, 10_000);
  const file = Buffer.alloc(54 + pixels, 90);
  file.fill(0, 0, 54);
  file.write('BM');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(24, 28);
  return file;
}

/** A TIFF with one strip that is missing. */
function tiffOf(width, height) {
  const tags = [[256, width], [257, height], [258, 8], [259, 1], [262, 1], [273, 8], [277, 1], [278, height], [279, 100]]; // prettier-ignore
  const file = Buffer.alloc(8 + 2 + tags.length * 12 + 4);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(8, 4);
  file.writeUInt16LE(tags.length, 8);
  for (const [at, [tag, value]] of tags.entries()) {
    file.writeUInt16LE(tag, 10 + at * 12);
    file.writeUInt16LE(4, 12 + at * 12);
    file.writeUInt32LE(1, 14 + at * 12);
    file.writeUInt32LE(value, 18 + at * 12);
  }
  return file;
}

function gifOf(width, height) {
  const head = Buffer.alloc(13);
  head.write('GIF89a');
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  return Buffer.concat([head, Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b])]);
}

/** The JPEG with another size in its header. */
function resized(jpeg, width, height) {
  const copy = Buffer.from(jpeg);
  const at = copy.indexOf(Buffer.of(0xff, 0xc0));
  copy.writeUInt16BE(height, at + 5);
  copy.writeUInt16BE(width, at + 7);
  return copy;
}

function changed(file, at, mask) {
  const copy = Buffer.from(file);
  copy[at] ^= mask;
  return copy;
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv;
  if (folder === undefined) throw new Error('usage: node test/corpus/make.mjs FOLDER');
  for (const [at, { files }] of (await corpus()).entries()) {
    for (const [name, content] of Object.entries(files)) {
      const safe = name.replaceAll(/[^\w.-]/g, '_').slice(-100);
      const path = join(folder, String(at).padStart(3, '0'), safe === '..' ? 'dots' : safe);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
  }
}
