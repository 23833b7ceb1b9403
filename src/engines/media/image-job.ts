import { readFile } from 'node:fs/promises';
import { buildImageChunk, type ChunkOptions, type FrameSource } from './chunk-writer.js';
import { encodePreview } from './image-encode.js';
import { type ImageLimits, naming } from './image-source.js';

/** An image to work on; it can be sent to another process. */
export interface ImageFile {
  /** How the client calls the file, for errors. */
  readonly name: string;
  /** Its place on this machine's disk, or its content. */
  readonly file: string | Uint8Array;
}

/** Work on images that keeps a processor busy. */
export type ImageJob =
  | { readonly kind: 'chunk'; readonly frames: readonly (ImageFile | null)[]; readonly options: ChunkOptions }
  | { readonly kind: 'preview'; readonly image: ImageFile; readonly limits: ImageLimits };

/** Does the work in this process. @throws MediaError that names the image */
export async function doImageJob(job: ImageJob): Promise<Buffer> {
  if (job.kind === 'chunk')
    return buildImageChunk(
      job.frames.map((frame) => (frame === null ? null : sourceOf(frame))),
      job.options,
    );
  return encodePreview(await naming(job.image.name, sourceOf(job.image).read), job.image.name, job.limits);
}

const sourceOf = ({ name, file }: ImageFile): FrameSource => ({
  name,
  read: async () =>
    typeof file === 'string' ? readFile(file) : Buffer.from(file.buffer, file.byteOffset, file.length),
});
