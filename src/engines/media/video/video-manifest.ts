import { readManifest } from '../manifest.js';
import { MediaError, quoted } from '../media-error.js';
import type { VideoIndex } from './video-index.js';

/**
 * Compares a manifest that was sent beside a video with the video.
 * @param path of the manifest
 * @param manifest how the client calls it
 * @throws MediaError that names the manifest and what differs
 */
export async function requireVideoManifest(
  path: string,
  manifest: string,
  { name, index }: { readonly name: string; readonly index: VideoIndex },
): Promise<void> {
  const wrong = (line: number, what: string): MediaError =>
    new MediaError(`InvalidManifestError: ${quoted(manifest)}, line ${line}: ${what}`);
  let described = false;
  for await (const { line, fields } of readManifest(path, manifest, 'video')) {
    const { properties, number, pts } = fields;
    if (properties !== undefined) {
      const { resolution, length } = properties as { resolution?: unknown; length?: unknown };
      const [width, height] = Array.isArray(resolution) ? (resolution as unknown[]) : [];
      if (width !== index.width || height !== index.height)
        throw wrong(line, `the frames of ${quoted(name)} are of ${index.width}x${index.height} pixels`);
      if (length !== index.pts.length) throw wrong(line, `${quoted(name)} has ${index.pts.length} frames`);
      described = true;
    } else if (typeof number !== 'number' || typeof pts !== 'number') {
      throw wrong(line, "'number' and 'pts' must be numbers");
    } else if (index.seekable && index.pts[number] !== pts) {
      throw wrong(line, `frame ${number} of ${quoted(name)} has another time stamp`);
    }
  }
  if (!described) throw wrong(3, "the line with 'properties' is missing");
}
