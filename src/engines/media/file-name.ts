import { posix } from 'node:path';
import { MediaError, quoted } from './media-error.js';

/**
 * In bytes of UTF-8: the limit of file systems for one path component, and the remaining length of a whole path within
 * a folder.
 */
const partBytes = 255;
const pathBytes = 1024;

/**
 * The normalized path of a media file inside its folder, in which paths are compared and stored: components joined by
 * `/`, without `.` and empty components. Windows separators count as separators.
 * @param name as received from a client or archive
 * @throws MediaError for a path outside the folder (`..`, absolute, drive letter) or an invalid file name
 */
export function safeMediaPath(name: string): string {
  const path = name.replaceAll('\\', '/');
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (path.startsWith('/') || /^[a-z]:/i.test(path) || parts.includes('..') || name.includes('\0')) {
    throw new MediaError(`File name ${quoted(name)} is not allowed`);
  }
  if (parts.length === 0) throw new MediaError(`File name ${quoted(name)} is empty`);
  if (Buffer.byteLength(path) > pathBytes || parts.some((part) => Buffer.byteLength(part) > partBytes)) {
    throw new MediaError(`File name ${quoted(`${name.slice(0, 60)}…`)} is too long`);
  }
  return parts.join('/');
}

/** Recognizes files that operating systems add to folders and archives, which users do not upload intentionally. */
export function isSystemFile(path: string): boolean {
  return path.split('/').includes('__MACOSX') || posix.basename(path) === '.DS_Store';
}

/** The name of a file that is downloaded by URL: the last component of the path. Null if there is no usable one. */
export function remoteName(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return null;
  try {
    const name = safeMediaPath(decodeURIComponent(url.pathname.split('/').at(-1) ?? ''));
    return name.includes('/') ? null : name;
  } catch (error) {
    if (error instanceof MediaError || error instanceof URIError) return null;
    throw error;
  }
}
