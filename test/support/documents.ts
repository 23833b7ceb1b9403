import sharp from 'sharp';

/** A page of a PDF: its size in points, and its content as PDF operators. */
export interface PdfPage {
  readonly width: number;
  readonly height: number;
  readonly content?: string;
}

export interface PdfOptions {
  /** The page count that the document declares. */
  readonly count?: number;
  /** Whether the document needs a password. */
  readonly encrypted?: boolean;
}

/** A PDF document. */
export function pdfOf(pages: readonly PdfPage[], { count = pages.length, encrypted = false }: PdfOptions = {}): Buffer {
  const kids = pages.map((_, at) => `${4 + 2 * at} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${count} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...pages.flatMap(({ width, height, content = '' }, at) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${5 + 2 * at} 0 R
        /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const key = '00'.repeat(32);
  const secret = `/Encrypt << /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >> /ID [<00> <00>]`;
  const trailer = `<< /Size ${objects.length + 1} /Root 1 0 R ${encrypted ? secret : ''} >>`;
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(`${text}${table}trailer\n${trailer}\nstartxref\n${text.length}\n%%EOF\n`, 'latin1');
}

/** A TIFF with one page per value, which is the red value of all its pixels. */
export async function tiffOf(reds: readonly number[], { width = 40, height = 30 } = {}): Promise<Buffer> {
  const pages = reds.map((red) => {
    const page = sharp({ create: { width, height, channels: 3, background: { r: red, g: 60, b: 30 } } });
    return page.raw().toBuffer();
  });
  const raw = { width, height: height * reds.length, channels: 3, pageHeight: height } as const;
  return sharp(Buffer.concat(await Promise.all(pages)), { raw })
    .tiff({ compression: 'lzw' })
    .toBuffer();
}

/** An uncompressed TIFF of one plane, which libvips cannot write. */
interface BareTiff {
  readonly values: Uint8Array | Uint16Array | Int32Array | Float32Array;
  readonly width: number;
  /** Values per pixel: 1 for grey, 4 for CMYK. */
  readonly samples?: 1 | 4;
  /** 3 is rotated by 180 degrees, 6 by 90. */
  readonly orientation?: number;
}

/** A TIFF of unmodified values: one strip, uncompressed (TIFF 6.0, section 3). */
export function bareTiff({ values, width, samples = 1, orientation = 1 }: BareTiff): Buffer {
  const pixels = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  const height = values.length / samples / width;
  const format = values instanceof Float32Array ? 3 : values instanceof Int32Array ? 2 : 1;
  const ENTRIES = 11;
  const listsAt = 8 + 2 + 12 * ENTRIES + 4;
  const pixelsAt = listsAt + 16;
  const head = Buffer.alloc(pixelsAt);
  head.write('II*\0', 'latin1');
  head.writeUInt32LE(8, 4);
  head.writeUInt16LE(ENTRIES, 8);
  const entry = (index: number, tag: number, value: number, count = 1) => {
    const at = 10 + 12 * index;
    head.writeUInt16LE(tag, at);
    head.writeUInt16LE(count === 1 ? 4 : 3, at + 2);
    head.writeUInt32LE(count, at + 4);
    head.writeUInt32LE(value, at + 8);
  };
  const list = (place: number, value: number): number => {
    if (samples === 1) return value;
    for (let sample = 0; sample < samples; sample++) head.writeUInt16LE(value, listsAt + 8 * place + 2 * sample);
    return listsAt + 8 * place;
  };
  entry(0, 256, width);
  entry(1, 257, height);
  entry(2, 258, list(0, 8 * values.BYTES_PER_ELEMENT), samples);
  entry(3, 259, 1);
  entry(4, 262, samples === 4 ? 5 : 1);
  entry(5, 273, pixelsAt);
  entry(6, 274, orientation);
  entry(7, 277, samples);
  entry(8, 278, height);
  entry(9, 279, pixels.length);
  entry(10, 339, list(1, format), samples);
  return Buffer.concat([head, pixels]);
}
