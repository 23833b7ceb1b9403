import type { CloudData } from './cloud-data';
import type { PointCloud } from './point-cloud';

export interface CloudRequest {
  readonly id: number;
  readonly file: ArrayBuffer;
}

export type CloudMessage = { readonly id: number } & ({ readonly cloud: CloudData } | { readonly fault: string });

interface Waiting {
  readonly resolve: (cloud: CloudData) => void;
  readonly reject: (error: Error) => void;
}

let worker: Worker | undefined;
let requests = 0;
const waiting = new Map<number, Waiting>();

/** Reads a point cloud in a worker. @throws Error that says what is wrong with the file */
export async function decodeCloud(blob: Blob): Promise<PointCloud> {
  const file = await blob.arrayBuffer();
  const cloud = await new Promise<CloudData>((resolve, reject) => {
    const id = (requests += 1);
    waiting.set(id, { resolve, reject });
    const request: CloudRequest = { id, file };
    (worker ??= newWorker()).postMessage(request, [file]);
  });
  return { ...cloud, width: cloud.count, height: 1, close: () => undefined };
}

function newWorker(): Worker {
  const created = new Worker(new URL('./cloud-worker.ts', import.meta.url), { type: 'module' });
  created.addEventListener('message', ({ data }: MessageEvent<CloudMessage>) => {
    const { resolve, reject } = waiting.get(data.id) ?? {};
    waiting.delete(data.id);
    if ('cloud' in data) resolve?.(data.cloud);
    else reject?.(new Error(`This point cloud cannot be shown. ${data.fault}`));
  });
  created.addEventListener('error', () => {
    for (const { reject } of waiting.values()) reject(new Error('This point cloud cannot be shown: it is too large.'));
    waiting.clear();
    worker = undefined;
  });
  return created;
}
