import type { CairnClient } from './client.js';
import { type BackgroundRequest, waitForRequest, type WaitOptions } from './requests.js';
import { noProgress, sendResumably } from './resumable.js';
import type { components } from './schema.js';

export interface UploadFile {
  /** Path of the file in the task. */
  readonly name: string;
  readonly data: Blob;
}

export type DataParameters = Partial<components['schemas']['DataParameters']>;

export interface UploadOptions extends WaitOptions {
  /** Total size above which files are sent in resumable pieces. Default: 32 MiB. */
  readonly formBytes?: number;
  /** Size of a piece. Default: 32 MiB. */
  readonly pieceBytes?: number;
}

const MIB = 2 ** 20;

/**
 * Uploads files to a task without data and waits until they are processed. Large files are sent in pieces (TUS). After
 * a failed piece, the upload continues at the offset of the server.
 * @throws RequestFailed, CairnError
 */
export async function uploadTaskData(
  client: CairnClient,
  taskId: number,
  files: readonly UploadFile[],
  parameters: DataParameters = {},
  options: UploadOptions = {},
): Promise<BackgroundRequest> {
  const { formBytes = 32 * MIB, pieceBytes = 32 * MIB } = options;
  const path = `/api/tasks/${taskId}/data/`;
  const settings = { image_quality: 70, ...parameters };
  const bytes = files.reduce((sum, file) => sum + file.data.size, 0);
  const answer =
    bytes <= formBytes
      ? await sendForm(client, path, files, settings)
      : await sendPieces(client, path, files, settings, pieceBytes, options.signal);
  const { rq_id: id } = (await answer.json()) as { rq_id: string };
  return waitForRequest(client, id, options);
}

function sendForm(
  client: CairnClient,
  path: string,
  files: readonly UploadFile[],
  settings: object,
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(settings)) appendField(form, name, value);
  files.forEach(({ name, data }, index) => form.append(`client_files[${index}]`, data, name));
  return client.send(path, { method: 'POST', body: form });
}

function appendField(form: FormData, name: string, value: unknown): void {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) value.forEach((item, index) => form.append(`${name}[${index}]`, String(item)));
  else form.append(name, typeof value === 'object' ? JSON.stringify(value) : `${value as string | number | boolean}`);
}

async function sendPieces(
  client: CairnClient,
  path: string,
  files: readonly UploadFile[],
  settings: object,
  pieceBytes: number,
  signal: AbortSignal | undefined,
): Promise<Response> {
  await client.send(path, { method: 'POST', headers: { 'Upload-Start': 'true' } });
  for (const file of files) await sendResumably(client, path, file, noProgress(), { pieceBytes, signal });
  return client.send(path, {
    method: 'POST',
    headers: { 'Upload-Finish': 'true', 'Content-Type': 'application/json' },
    body: JSON.stringify(settings),
  });
}
