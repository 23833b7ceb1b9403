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

/** Folders and files that operating systems and network storages add, in lower case. */
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set([
  '__macosx',
  '.appledouble',
  '.spotlight-v100',
  '.trashes',
  '.fseventsd',
  '.temporaryitems',
  '$recycle.bin',
  'system volume information',
  '@eadir',
]);
const SYSTEM_FILES: ReadonlySet<string> = new Set(['.ds_store', 'thumbs.db', 'ehthumbs.db', 'desktop.ini']);

/**
 * Recognizes files that operating systems add to folders and archives, which users do not upload intentionally. Among
 * them are `._a.jpg`, in which macOS stores the properties of `a.jpg` on disks that have no place for them.
 */
export function isSystemFile(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  const name = parts.pop() ?? '';
  return name.startsWith('._') || SYSTEM_FILES.has(name) || parts.some((folder) => SYSTEM_FOLDERS.has(folder));
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
