import { posix } from 'node:path';
import { MediaError, quoted } from './media-error.js';

/** In bytes of UTF-8: what file systems allow for one part of a path, and what is left of a whole one in a folder. */
const partBytes = 255;
const pathBytes = 1024;

/**
 * The path of a media file inside its folder, in the one form in which paths are compared and stored: parts joined by
 * `/`, without `.` and empty parts. Windows separators count as separators.
 * @param name as it came from a client or an archive
 * @throws MediaError for a name that leads out of the folder (`..`, absolute, drive letter) or that no file can have
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

/** Files that operating systems leave in folders and archives, and that nobody means to send. */
export function isSystemFile(path: string): boolean {
  return path.split('/').includes('__MACOSX') || posix.basename(path) === '.DS_Store';
}

/** The name of a file that is fetched by its address: the last part of the path. Null where there is no usable one. */
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
