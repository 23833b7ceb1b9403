import { mediaKind } from '#shared/media-kind';
import { counted } from './counted';

const NAMED = 3;
const ALONE = { video: 'video', archive: 'archive', zip: 'archive', pdf: 'PDF' } as const;

/** @returns what the server leaves out of files with these names, and which of them it does not take together */
export function fileWarnings(names: readonly string[]): string[] {
  const unknown = names.filter((name) => mediaKind(name) === 'unknown');
  const media = names.filter((name) => !['unknown', 'manifest'].includes(mediaKind(name)));
  const alone = media.find((name) => mediaKind(name) in ALONE);
  const warnings: string[] = [];
  if (unknown.length > 0) {
    const rest = unknown.length - NAMED;
    const list = `${unknown.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${counted(rest, 'other file')}` : ''}`;
    warnings.push(
      unknown.length === 1
        ? `${list} is not an image, video, archive, PDF or point cloud. The server creates no frames from it.`
        : `${list} are not images, videos, archives, PDFs or point clouds. The server creates no frames from them.`,
    );
  }
  if (alone !== undefined && media.length > 1) {
    const kind = ALONE[mediaKind(alone) as keyof typeof ALONE];
    warnings.push(`A task takes one ${kind} and no other media. Send ${alone} alone, or remove it.`);
  }
  return warnings;
}
