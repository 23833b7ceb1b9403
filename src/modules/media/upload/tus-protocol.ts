import { InvalidString } from '../../../core/http/errors.js';

/** Headers of every answer to a resumable upload. */
export const tusHeaders = (maxBytes: number): Record<string, string> => ({
  'Tus-Resumable': '1.0.0',
  'Tus-Version': '1.0.0',
  'Tus-Extension': '',
  'Tus-Max-Size': String(maxBytes),
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'PATCH,HEAD,GET,POST,OPTIONS',
  'Access-Control-Expose-Headers': 'Tus-Resumable,upload-length,upload-metadata,Location,Upload-Offset',
  'Access-Control-Allow-Headers': 'Tus-Resumable,upload-length,upload-metadata,Location,Upload-Offset,content-type',
  'Cache-Control': 'no-store',
});

/**
 * Reads `Upload-Metadata`: keys with base64 values, separated by commas.
 * @throws InvalidString for a value that is no base64 of UTF-8
 */
export function readUploadMetadata(header: string): Map<string, string> {
  const pairs = header.split(',').flatMap((part): [string, string][] => {
    const [key = '', value = ''] = part.trim().split(/\s+/);
    return key === '' ? [] : [[key, decode(key, value)]];
  });
  return new Map(pairs);
}

/** @throws InvalidString unless it is a whole number of at least `least` */
export function readByteCount(name: string, header: string | undefined, least: number): number {
  const count = /^\d{1,15}$/.test(header ?? '') ? Number(header) : -1;
  if (count < least) throw new InvalidString(`${name} must be a whole number of at least ${least}`);
  return count;
}

/** The id of an upload on the wire: who sends it, and which file it is. */
export const uploadKey = (userId: number, fileId: string): string => `${userId}_${fileId}`;

/** @returns null for a text that is no such id */
export function readUploadKey(key: string): { userId: number; fileId: string } | null {
  const match = /^(\d{1,10})_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i.exec(key);
  return match === null ? null : { userId: Number(match[1]), fileId: (match[2] ?? '').toLowerCase() };
}

function decode(key: string, base64: string): string {
  const bytes = Buffer.from(base64, 'base64');
  const padded = bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  const text = bytes.toString('utf8');
  if (!padded || text.includes('\ufffd') || text.includes('\0')) {
    throw new InvalidString(`The value of '${key}' in Upload-Metadata must be base64 of UTF-8`);
  }
  return text;
}
