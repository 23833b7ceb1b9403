import { readFile, writeFile } from 'node:fs/promises';
import { mapBounded } from '../concurrency/concurrency.js';
import { buildImageChunk, type ChunkOptions, type FrameSource, type FrameTools, makeFrame } from './chunk-writer.js';
import { type FileMove, moveFiles } from './file-moves.js';
import { croppedImage, encodePreview, type ImageRegion } from './image-encode.js';
import { probeWholeImage } from './image-integrity.js';
import { type ImageInfo, probeImage } from './image-probe.js';
import { type ImageLimits, naming } from './image-source.js';
import { type DocumentPage, type JobProgress, renderPdfPages } from './pdf.js';
import { probePointCloud } from './point-cloud.js';
import { writeTiffPages } from './tiff.js';
import type { FramePrograms } from './video/frame-programs.js';
import { encodeSource, type VideoFrameJob } from './video/video-frame.js';
import { isPointCloud } from '../../shared/media-kind.js';

/** An image to process; can be sent to another process. */
export interface ImageFile {
  /** The client's name for the file, for errors. */
  readonly name: string;
  /** Path on this machine, or content. */
  readonly file: string | Uint8Array;
}

/** An image on this machine's disk. */
export interface ImageOnDisk extends ImageFile {
  readonly file: string;
}

/** An image to create a frame from. */
export interface ChunkImage extends ImageFile {
  /** The file of its compressed frame, if it was encoded before; it may be deleted once the job is done. */
  readonly ready?: string;
}

export interface ChunkJob {
  readonly kind: 'chunk';
  readonly frames: readonly (ChunkImage | null)[];
  /** The output file: the result is too large to send between processes efficiently. */
  readonly target: string;
  readonly options: ChunkOptions;
}

/** Creates one frame of a chunk. */
export interface FrameJob {
  readonly kind: 'frame';
  readonly image: ChunkImage;
  readonly options: ChunkOptions;
}

/** The same, written to a file. */
export interface FrameFileJob extends Omit<FrameJob, 'kind'> {
  readonly kind: 'frame-file';
  readonly target: string;
}

export interface PreviewJob {
  readonly kind: 'preview';
  readonly image: ImageFile;
  readonly limits: ImageLimits;
}

/** Cuts out a part of an image. */
export interface CropJob {
  readonly kind: 'crop';
  readonly image: ImageFile;
  readonly region: ImageRegion;
  readonly limits: ImageLimits;
}

/** Reads headers of images and point clouds on disk. */
export interface ProbeJob {
  readonly kind: 'probe';
  readonly images: readonly ImageOnDisk[];
  /** Also rejects truncated images. */
  readonly whole: boolean;
  readonly limits: ImageLimits;
}

/** Counts the pages of a PDF (`pdf`), and writes pages of a PDF or TIFF as separate images. */
export interface PagesJob<Kind extends 'pdf' | 'tiff' = 'pdf' | 'tiff'> {
  readonly kind: Kind;
  readonly document: ImageOnDisk;
  readonly pages: readonly DocumentPage[];
  readonly limits: ImageLimits;
  /** Maximum total size of the files of all pages. */
  readonly maxBytes: number;
  /** Path for a copy of a TIFF, which the caller removes. */
  readonly scratch: string;
}

/** Moves files to the images of a task. */
export interface MoveJob {
  readonly kind: 'move';
  readonly files: readonly FileMove[];
}

/** CPU-intensive work on images. */
export type ImageJob =
  | ChunkJob
  | FrameJob
  | FrameFileJob
  | PreviewJob
  | CropJob
  | ProbeJob
  | PagesJob<'pdf'>
  | PagesJob<'tiff'>
  | MoveJob
  | VideoFrameJob;

/** Tools for the jobs that cannot be sent to another process. */
export interface ImageTools extends FrameTools {
  readonly programs: FramePrograms;
}

/** In pixels, upright. */
export type FrameSize = Pick<ImageInfo, 'width' | 'height'>;

/** A JPEG; the sizes of the images, in order; or a number: of bytes written, of pages in a PDF, or of moved files. */
export type ImageResult<Job extends ImageJob> = Job extends ProbeJob
  ? FrameSize[]
  : Job extends ChunkJob | FrameFileJob | VideoFrameJob | PagesJob | MoveJob
    ? number
    : Buffer;

const PROBES_AT_A_TIME = 8;

/** Runs a job in this process. @throws MediaError that names the image; the signal's reason */
export function doImageJob<Job extends ImageJob>(
  job: Job,
  tools: ImageTools,
  progress?: JobProgress,
): Promise<ImageResult<Job>>;
export async function doImageJob(
  job: ImageJob,
  tools: ImageTools,
  progress: JobProgress = {},
): Promise<Buffer | FrameSize[] | number> {
  switch (job.kind) {
    case 'chunk': {
      const frames = job.frames.map((frame) => (frame === null ? null : sourceOf(frame)));
      return written(job.target, await buildImageChunk(frames, job.options, tools));
    }
    case 'frame-file':
      return written(job.target, await makeFrame(sourceOf(job.image), job.options, tools));
    case 'frame':
      return makeFrame(sourceOf(job.image), job.options, tools);
    case 'preview':
      return encodePreview(await naming(job.image.name, sourceOf(job.image).read), job.image.name, job.limits);
    case 'crop': {
      const file = await naming(job.image.name, sourceOf(job.image).read);
      return croppedImage(file, job.image.name, job.region, job.limits);
    }
    case 'probe': {
      const probe = job.whole ? probeWholeImage : probeImage;
      return mapBounded(job.images, PROBES_AT_A_TIME, async ({ file, name }) => {
        if (isPointCloud(name)) return probePointCloud(file, name);
        const { width, height } = await probe(file, name, job.limits);
        return { width, height };
      });
    }
    case 'pdf':
      return renderPdfPages(job.document.file, job.document.name, job.pages, job, progress);
    case 'tiff':
      return writeTiffPages(job.document.file, job.document.name, job.pages, job, progress);
    case 'video-frame':
      return written(job.target, await encodeSource(tools.programs, job));
    case 'move':
      moveFiles(job.files);
      return job.files.length;
  }
}

/** @returns the number of bytes written; 0 if there was no content and so no file */
async function written(target: string, content: Buffer | undefined): Promise<number> {
  if (content === undefined) return 0;
  await writeFile(target, content);
  return content.length;
}

const sourceOf = ({ name, file, ready }: ChunkImage): FrameSource => ({
  name,
  ...(ready === undefined ? {} : { ready }),
  read: async () =>
    typeof file === 'string' ? readFile(file) : Buffer.from(file.buffer, file.byteOffset, file.length),
});
