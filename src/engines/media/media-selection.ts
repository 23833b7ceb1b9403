import { MediaError, validationFailure } from './media-error.js';
import { type MediaKind, mediaKind } from '../../shared/media-kind.js';

/** The media types of tasks, in the order in which their counts are reported. */
const combinable = ['image', 'video', 'archive', 'directory', 'pdf', 'zip'] as const;
export type UsableKind = (typeof combinable)[number];

/** Types of which a task has exactly one file and no others. */
const exclusiveKinds: ReadonlySet<UsableKind> = new Set(['video', 'archive', 'pdf', 'zip']);

export interface MediaSelection {
  /** The type of the task's media: `image` if images and directories are mixed. */
  kind: UsableKind;
  /** The media files, in request order, without unknown types and the manifest. */
  files: string[];
  /** A `*.jsonl` uploaded with the media. */
  manifest: string | null;
}

/**
 * Determines the media of a task.
 * @throws MediaError if there are no media, the types cannot be combined, or there is a second manifest
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
  const alone = present.filter((kind) => exclusiveKinds.has(kind));
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
