import { MediaError, validationFailure } from './media-error.js';
import { type MediaKind, mediaKind } from '../../shared/media-kind.js';

/** What a task may be made of, in the order in which the counts are reported. */
const combinable = ['image', 'video', 'archive', 'directory', 'pdf', 'zip'] as const;
export type UsableKind = (typeof combinable)[number];

/** Kinds of which a task takes exactly one and nothing beside it. */
const aloneKinds: ReadonlySet<UsableKind> = new Set(['video', 'archive', 'pdf', 'zip']);

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
