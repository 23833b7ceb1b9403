import sharp from 'sharp';

/** A page of a PDF: its size in points, and its content as operators of PDF. */
export interface PdfPage {
  readonly width: number;
  readonly height: number;
  readonly content?: string;
}

export interface PdfOptions {
  /** The number of pages that the document says it has. */
  readonly count?: number;
  /** Whether a password is needed. */
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

/** A TIFF of one page for each value, which is the red of all its pixels. */
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
