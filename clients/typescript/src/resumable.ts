import { CairnError } from './cairn-error.js';
import type { CairnClient } from './client.js';

/** The progress of an upload. Callers keep it to resume after a pause or a lost connection. */
export interface UploadProgress {
  /** URL of the upload on the server. Empty until the upload is created. */
  address: string;
  /** Number of bytes that the server has received. */
  offset: number;
  isComplete: boolean;
}

/** Size of the next piece. It adapts to the speed of the connection and can be shared by several files. */
export interface UploadPace {
  bytes: number;
}

export interface ResumableOptions {
  /** Size of a piece. Default: 32 MiB. */
  readonly pieceBytes?: number;
  /** Adaptive piece size, at most `pieceBytes`, so that each piece takes a few seconds at most. */
  readonly pace?: UploadPace;
  /** Stops the upload. The server keeps what it has received. */
  readonly signal?: AbortSignal | undefined;
  /** Called after every piece. */
  readonly onProgress?: (progress: Readonly<UploadProgress>) => void;
  /** Maximum number of consecutive attempts for a piece. Default: 5. */
  readonly attempts?: number;
}

const MIB = 2 ** 20;
const LEAST_PIECE_BYTES = MIB / 8;
const QUICK_MS = 1_000;
const SLOW_MS = 3_000;

export const noProgress = (): UploadProgress => ({ address: '', offset: 0, isComplete: false });

/**
 * Uploads a file in pieces (TUS), starting at its progress. After a failed piece it continues at the offset of the
 * server.
 * @param collection path of the upload endpoint, with a trailing slash
 * @param progress is updated; pass it again to resume
 * @throws CairnError, the error of the last attempt, or the reason of `signal`
 */
export async function sendResumably(
  client: CairnClient,
  collection: string,
  file: { readonly name: string; readonly data: Blob },
  progress: UploadProgress,
  options: ResumableOptions = {},
): Promise<void> {
  const { pieceBytes = 32 * MIB, pace, signal, onProgress, attempts = 5 } = options;
  if (progress.address === '') await announce(client, collection, file, progress, signal);
  else if (!progress.isComplete) await ask(client, file.data.size, progress, signal);
  let failures = 0;
  while (!progress.isComplete) {
    signal?.throwIfAborted();
    try {
      const bytes = Math.min(pieceBytes, pace?.bytes ?? pieceBytes);
      const [before, started] = [progress.offset, performance.now()];
      await sendPiece(client, file.data, bytes, progress, signal);
      if (pace !== undefined) adapt(pace, { bytes, sent: progress.offset - before, ms: performance.now() - started });
      failures = 0;
      onProgress?.(progress);
    } catch (error) {
      signal?.throwIfAborted();
      failures += 1;
      if (failures >= attempts || isFinal(error)) throw error;
      await ask(client, file.data.size, progress, signal);
    }
  }
}

/** Doubles the piece size after a fast piece and halves it after a slow one. */
function adapt(pace: UploadPace, piece: { readonly bytes: number; readonly sent: number; readonly ms: number }): void {
  const { bytes, sent, ms } = piece;
  if (ms > SLOW_MS) pace.bytes = Math.max(LEAST_PIECE_BYTES, bytes / 2);
  else if (ms < QUICK_MS && sent === bytes) pace.bytes = Math.max(pace.bytes, bytes * 2);
}

/** Whether a retry of the same piece would fail again. */
const isFinal = (error: unknown): boolean =>
  error instanceof CairnError && error.status !== 409 && (error.status < 500 || error.status === 507);

async function announce(
  client: CairnClient,
  collection: string,
  { name, data }: { readonly name: string; readonly data: Blob },
  progress: UploadProgress,
  signal: AbortSignal | undefined,
): Promise<void> {
  const answer = await client.send(collection, {
    method: 'POST',
    headers: { 'Upload-Length': String(data.size), 'Upload-Metadata': `filename ${base64(name)}` },
    signal: signal ?? null,
  });
  progress.address = answer.headers.get('Location') ?? '';
}

async function sendPiece(
  client: CairnClient,
  data: Blob,
  pieceBytes: number,
  progress: UploadProgress,
  signal: AbortSignal | undefined,
): Promise<void> {
  const answer = await client.send(progress.address, {
    method: 'PATCH',
    headers: { 'Upload-Offset': String(progress.offset), 'Content-Type': 'application/offset+octet-stream' },
    body: data.slice(progress.offset, progress.offset + pieceBytes),
    signal: signal ?? null,
  });
  note(progress, Number(answer.headers.get('Upload-Offset')), data.size);
}

/** Asks the server for its offset. An upload that is unknown after its last piece was sent is complete. */
async function ask(
  client: CairnClient,
  size: number,
  progress: UploadProgress,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    const answer = await client.send(progress.address, { method: 'HEAD', signal: signal ?? null });
    note(progress, Number(answer.headers.get('Upload-Offset')), size);
  } catch (error) {
    if (!(error instanceof CairnError) || error.status !== 404) throw error;
    note(progress, size, size);
  }
}

function note(progress: UploadProgress, offset: number, size: number): void {
  progress.offset = offset;
  progress.isComplete = offset >= size;
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
