import { unwrap } from 'cairn-client';
import { api, type CloudStorage } from '../../app/api';
import { onlyIf } from '../../components/tagged';

type Body = Readonly<Record<string, unknown>>;

/** Creates a cloud storage. The server checks access to the bucket first. */
export async function createStorage(body: Body, keyFile: File | null): Promise<CloudStorage> {
  if (keyFile === null) return unwrap(await api.POST('/api/cloudstorages', { body: body as never }));
  const response = await api.send('/api/cloudstorages', { method: 'POST', body: toForm(body, keyFile) });
  return (await response.json()) as CloudStorage;
}

/** @param etag of the version that was edited */
export async function changeStorage(id: number, etag: string, body: Body, keyFile: File | null): Promise<void> {
  const path = { id };
  const headers = onlyIf(etag);
  if (keyFile === null)
    unwrap(await api.PATCH('/api/cloudstorages/{id}', { params: { path }, headers, body: body as never }));
  else await api.send(`/api/cloudstorages/${id}`, { method: 'PATCH', headers, body: toForm(body, keyFile) });
}

/** The API accepts files only as form data. */
function toForm(body: Body, keyFile: File): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body))
    for (const each of Array.isArray(value) ? value : [value]) form.append(name, String(each));
  form.append('key_file', keyFile);
  return form;
}
