import { CairnError, waitForRequest } from 'cairn-client';
import { api, type ImportReport } from '../../app/api';
import { type Upload, uploads } from '../../app/uploads';
import { type ExchangeTarget, locationOf } from './target';

export type Query = Readonly<Record<string, string>>;

/** A file on this computer or in a cloud storage. */
export type ImportSource = File | { readonly cloud: number; readonly filename: string };

const collectionOf = ({ kind, id }: ExchangeTarget): string =>
  `/api/${kind}s/${id}/${kind === 'project' ? 'dataset' : 'annotations'}/`;

/** Uploads a file, then sends the query. */
export function upload(
  target: ExchangeTarget,
  { key, purpose }: Pick<Upload, 'key' | 'purpose'>,
  file: File,
  query: Query,
): void {
  uploads.start({
    key,
    title: `${purpose === 'check' ? 'Check for' : 'Import into'} ${target.name}`,
    page: `/${target.kind}s/${target.id}`,
    purpose,
    collection: collectionOf(target),
    files: [{ name: file.name, data: file }],
    query: { ...query, filename: file.name, ...locationOf(null) },
  });
}

/**
 * Sends the query for a file that the server has.
 * @returns the ID of the background request
 */
export async function request(target: ExchangeTarget, source: ImportSource, query: Query): Promise<string> {
  const [where, headers] =
    source instanceof File
      ? [{ filename: source.name, ...locationOf(null) }, { 'Upload-Finish': 'true' }]
      : [{ filename: source.filename, ...locationOf(source.cloud) }, {}];
  const parameters = new URLSearchParams({ ...query, ...where }).toString();
  const response = await api.send(`${collectionOf(target)}?${parameters}`, { method: 'POST', headers });
  return ((await response.json()) as { readonly rq_id: string }).rq_id;
}

/** Whether the server has removed an upload in the meantime. */
export const isGone = (error: unknown): boolean =>
  error instanceof CairnError && error.status === 400 && JSON.stringify(error.body).includes('No such file');

/** Runs a dry run for a file that the server has. */
export async function check(target: ExchangeTarget, source: ImportSource, query: Query): Promise<ImportReport | null> {
  return (await waitForRequest(api, await request(target, source, query))).report ?? null;
}
