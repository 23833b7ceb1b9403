import { mediaKind } from '#shared/media-kind';
import { counted } from './counted';

const MAX_NAMED = 3;
const ALONE = { video: 'video', archive: 'archive', zip: 'archive', pdf: 'PDF' } as const;

/** @returns warnings about files that the server ignores or does not accept in one task, judged by their names */
export function fileWarnings(names: readonly string[]): string[] {
  const unknown = names.filter((name) => mediaKind(name) === 'unknown');
  const media = names.filter((name) => !['unknown', 'manifest'].includes(mediaKind(name)));
  const alone = media.find((name) => mediaKind(name) in ALONE);
  const warnings: string[] = [];
  if (unknown.length > 0) {
    const rest = unknown.length - MAX_NAMED;
    const list = `${unknown.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${counted(rest, 'other file')}` : ''}`;
    warnings.push(
      unknown.length === 1
        ? `${list} is not an image, video, archive, PDF or point cloud. It is ignored.`
        : `${list} are not images, videos, archives, PDFs or point clouds. They are ignored.`,
    );
  }
  if (alone !== undefined && media.length > 1) {
    const kind = ALONE[mediaKind(alone) as keyof typeof ALONE];
    warnings.push(`A task can have one ${kind} and no other media. Upload ${alone} alone, or remove it.`);
  }
  return warnings;
}
