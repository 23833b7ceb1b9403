const SIGNATURES: readonly (readonly [type: FileType, offset: number, bytes: string])[] = [
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/webp', 8, 'WEBP'],
  ['application/pdf', 0, '%PDF-'],
];

export type FileType = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/gif' | 'application/pdf';

/** The type of a file that a browser shows safely, by its first bytes; undefined for every other one. */
export function fileTypeOf(content: Buffer): FileType | undefined {
  const head = content.toString('latin1', 0, 12);
  const found = SIGNATURES.find(([, offset, bytes]) => head.startsWith(bytes, offset))?.[0];
  return found === 'image/webp' && !head.startsWith('RIFF') ? undefined : found;
}
