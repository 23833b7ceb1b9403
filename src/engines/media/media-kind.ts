import { posix } from 'node:path';
import { MediaError, validationFailure } from './media-error.js';

export type MediaKind = 'image' | 'video' | 'archive' | 'directory' | 'pdf' | 'zip' | 'manifest' | 'unknown';

/** What a task may be made of, in the order in which the counts are reported. */
const combinable = ['image', 'video', 'archive', 'directory', 'pdf', 'zip'] as const;
export type UsableKind = (typeof combinable)[number];

/** Kinds of which a task takes exactly one and nothing beside it. */
const aloneKinds: ReadonlySet<UsableKind> = new Set(['video', 'archive', 'pdf', 'zip']);

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

/** The Content-Type under which the original of an image is sent. */
export function imageMimeType(name: string): string {
  const extension = extensionOf(name);
  return (Object.hasOwn(imageTypes, extension) && imageTypes[extension]) || 'application/octet-stream';
}

export interface MediaSelection {
  /** What the task is made of: `image` when images and directories are mixed. */
  kind: UsableKind;
  /** The media files in the order of the request; unknown kinds and the manifest are left out. */
  files: string[];
  /** A `*.jsonl` sent beside the media. */
  manifest: string | null;
}

/**
 * Decides what a task is made of.
 * @throws MediaError for no media at all, for kinds that cannot be combined, and for a second manifest
 */
export function selectMedia(names: readonly string[]): MediaSelection {
  const byKind = new Map<MediaKind, string[]>();
  for (const name of names) {
    const kind = mediaKind(name);
    const sameKind = byKind.get(kind);
    if (sameKind) sameKind.push(name);
    else byKind.set(kind, [name]);
  }
  const manifests = byKind.get('manifest') ?? [];
  if (manifests.length > 1) throw validationFailure('Only one manifest file can be attached to data');

  const present = combinable.filter((kind) => byKind.has(kind));
  const [first] = present;
  if (first === undefined) throw new MediaError('ValueError: No media data found');
  const count = (kind: UsableKind) => byKind.get(kind)?.length ?? 0;
  const alone = present.filter((kind) => aloneKinds.has(kind));
  if (alone.length > 0 && (present.length > 1 || count(first) > 1)) throw mixedMedia(count);
  return {
    kind: first,
    files: names.filter((name) => (present as MediaKind[]).includes(mediaKind(name))),
    manifest: manifests[0] ?? null,
  };
}

function mixedMedia(count: (kind: UsableKind) => number): MediaError {
  const found = combinable.map((kind) => `${count(kind)} ${kind}(s)`).join(', ');
  return new MediaError(
    'ValueError: Only one video, archive, pdf, zip or many image, directory can be used simultaneously, ' +
      `but ${found} found.`,
  );
}

function extensionOf(name: string): string {
  return posix.extname(name).slice(1).toLowerCase();
}

function table(kind: MediaKind, extensions: string): Record<string, MediaKind> {
  return Object.fromEntries(extensions.split(' ').map((extension) => [extension, kind]));
}
