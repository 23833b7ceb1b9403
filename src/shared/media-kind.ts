// The app imports this file, so it depends on nothing.

export type MediaKind = 'image' | 'video' | 'archive' | 'directory' | 'pdf' | 'zip' | 'manifest' | 'unknown';

const imageTypes: Record<string, string> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  jpe: 'image/jpeg',
  jfif: 'image/jpeg',
  png: 'image/png',
  bmp: 'image/bmp',
  dib: 'image/bmp',
  gif: 'image/gif',
  webp: 'image/x-webp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  avif: 'image/avif',
  ppm: 'image/x-portable-pixmap',
  pgm: 'image/x-portable-graymap',
  pbm: 'image/x-portable-bitmap',
  pnm: 'image/x-portable-anymap',
};

const pointCloudExtensions = new Set(['pcd', 'bin']);
const POINT_CLOUD_TYPE = 'image/x.point-cloud-data';

const kindOfExtension: Record<string, MediaKind> = {
  ...table('zip', 'zip'),
  ...table('archive', 'rar tar 7z cpio gz tgz bz2 tbz2 xz txz zst tzst'),
  ...table('pdf', 'pdf'),
  ...table('manifest', 'jsonl'),
  ...table('video', 'mp4 m4v mov mkv webm avi mpg mpeg mpe ts mts m2ts wmv flv ogv 3gp 3g2 qt asf mxf vob'),
  ...table('image', [...Object.keys(imageTypes), ...pointCloudExtensions].join(' ')),
};

/** The kind of a file by its extension, whatever its case; a name that ends with `/` is a directory. */
export function mediaKind(name: string): MediaKind {
  if (name.endsWith('/')) return 'directory';
  const extension = extensionOf(name);
  return Object.hasOwn(kindOfExtension, extension) ? (kindOfExtension[extension] ?? 'unknown') : 'unknown';
}

/** Point clouds are handled as images, and make the task 3d. */
export function isPointCloud(name: string): boolean {
  return pointCloudExtensions.has(extensionOf(name));
}

/** A file that may have several pages. */
export const isTiff = (name: string): boolean => ['tif', 'tiff'].includes(extensionOf(name));

/** The Content-Type under which the original of an image or point cloud is sent. */
export function imageMimeType(name: string): string {
  const extension = extensionOf(name);
  if (pointCloudExtensions.has(extension)) return POINT_CLOUD_TYPE;
  return (Object.hasOwn(imageTypes, extension) && imageTypes[extension]) || 'application/octet-stream';
}

function extensionOf(name: string): string {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  return dot <= 0 ? '' : base.slice(dot + 1).toLowerCase();
}

function table(kind: MediaKind, extensions: string): Record<string, MediaKind> {
  return Object.fromEntries(extensions.split(' ').map((extension) => [extension, kind]));
}
