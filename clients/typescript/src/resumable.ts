import { CairnError } from './cairn-error.js';
import type { CairnClient } from './client.js';

/** How far a file has come. Kept by who sends, so that the same file can go on after a pause or a broken connection. */
export interface UploadProgress {
  /** Address of the upload on the server; empty until the file was announced. */
  address: string;
  /** Bytes that the server has. */
  offset: number;
  isComplete: boolean;
}

/** Size of the next piece. One for all files of a connection: it follows how fast that is. */
export interface UploadPace {
  bytes: number;
}

export interface ResumableOptions {
  /** Size of a piece. Default: 32 MiB. */
  readonly pieceBytes?: number;
  /** Pieces are of this size instead, no larger than `pieceBytes`, so that each takes some seconds at most. */
  readonly pace?: UploadPace;
  /** Ends the sending; what has arrived stays. */
  readonly signal?: AbortSignal | undefined;
  /** After every piece. */
  readonly onProgress?: (progress: Readonly<UploadProgress>) => void;
  /** How often a piece is tried in a row. Default: 5. */
  readonly attempts?: number;
}

const MIB = 2 ** 20;
const LEAST_PIECE_BYTES = MIB / 8;
const QUICK_MS = 1_000;
const SLOW_MS = 3_000;

export const noProgress = (): UploadProgress => ({ address: '', offset: 0, isComplete: false });

/**
 * Sends a file in pieces (TUS) from where it has come; a piece that does not arrive is sent again from where the server
 * says.
 * @param collection path to announce files at, with its slash at the end
 * @param progress is changed; give the same again to go on
 * @throws CairnError, the failure of the last attempt, and the reason of `signal`
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

/** A whole piece that was quick is followed by one of twice the size, one that was slow by half of it. */
function adapt(pace: UploadPace, piece: { readonly bytes: number; readonly sent: number; readonly ms: number }): void {
  const { bytes, sent, ms } = piece;
  if (ms > SLOW_MS) pace.bytes = Math.max(LEAST_PIECE_BYTES, bytes / 2);
  else if (ms < QUICK_MS && sent === bytes) pace.bytes = Math.max(pace.bytes, bytes * 2);
}

/** A refusal that the same piece would meet again. */
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

/** The server says how much it has; an upload that it no longer knows after its last piece was sent is complete. */
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
