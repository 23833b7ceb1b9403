import { readChunk } from './chunk';

export interface ArchiveRequest {
  readonly id: number;
  readonly file: ArrayBuffer;
}

export type ArchiveMessage = { readonly id: number } & (
  { readonly images: readonly Blob[] } | { readonly fault: string }
);

interface Waiting {
  readonly resolve: (images: readonly Blob[]) => void;
  readonly reject: (error: Error) => void;
}

/** Smaller archives are unpacked sooner than a worker starts, which matters for the first frame. */
const SMALL = 2 ** 18;

let worker: Worker | undefined;
let requests = 0;
const waiting = new Map<number, Waiting>();

/** Unpacks a chunk of images, a large one in a worker. @throws Error if it is not a zip of numbered images */
export async function unpackChunk(file: ArrayBuffer): Promise<readonly Blob[]> {
  if (file.byteLength <= SMALL) return readChunk(new Uint8Array(file));
  return new Promise((resolve, reject) => {
    const id = (requests += 1);
    waiting.set(id, { resolve, reject });
    const request: ArchiveRequest = { id, file };
    (worker ??= newWorker()).postMessage(request, [file]);
  });
}

function newWorker(): Worker {
  const created = new Worker(new URL('./archive-worker.ts', import.meta.url), { type: 'module' });
  created.addEventListener('message', ({ data }: MessageEvent<ArchiveMessage>) => {
    const { resolve, reject } = waiting.get(data.id) ?? {};
    waiting.delete(data.id);
    if ('images' in data) resolve?.(data.images);
    else reject?.(new Error(data.fault));
  });
  created.addEventListener('error', ({ message }) => {
    for (const { reject } of waiting.values()) reject(new Error(`The chunk cannot be unpacked. ${message}`));
    waiting.clear();
    worker = undefined;
  });
  return created;
}
