import { readPointCloud } from './pcd';
import type { CloudMessage, CloudRequest } from './cloud-decoder';

/** Reads point clouds outside the main thread, which would freeze for the time. */
addEventListener('message', ({ data: { id, file } }: MessageEvent<CloudRequest>) => {
  const answer = (message: CloudMessage, transfer: Transferable[] = []): void => postMessage(message, { transfer });
  try {
    const cloud = readPointCloud(file);
    const buffers = [cloud.positions, cloud.intensities, cloud.colors].flatMap((values) => values?.buffer ?? []);
    answer({ id, cloud }, buffers);
  } catch (error) {
    answer({ id, fault: error instanceof Error ? error.message : String(error) });
  }
});
