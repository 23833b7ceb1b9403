import type { Response } from 'supertest';
import type { TestApp } from './app.js';
import type { Person } from './given.js';
import { bytes, worked } from './given-exchange.js';

export type BackupKind = 'projects' | 'tasks';

/** Creates a backup and downloads it. */
export async function backupOf(app: TestApp, person: Person, kind: BackupKind, id: number): Promise<Buffer> {
  const asked = await person.http.post(`/api/${kind}/${id}/backup/export?lightweight=False`);
  if (asked.status !== 202) throw new Error(`no backup: ${asked.status} ${asked.text}`);
  const request = await worked(app, person, (asked.body as { rq_id: string }).rq_id);
  const { result_url: url, message } = request.body as { result_url: string | null; message: string };
  if (url === null) throw new Error(`no backup: ${message}`);
  const { pathname, search } = new URL(url);
  return (await person.http.get(`${pathname}${search}`).buffer(true).parse(bytes)).body as Buffer;
}

/** Uploads a backup in one form and reads the request that restores it. */
export async function restored(
  app: TestApp,
  person: Person,
  kind: BackupKind,
  archive: Buffer,
  query: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const sent = await person.http
    .post(`/api/${kind}/backup`)
    .query(query)
    .attach(`${kind.slice(0, -1)}_file`, archive, { filename: 'backup.zip', contentType: 'application/zip' });
  if (sent.status !== 202) throw new Error(`not taken: ${sent.status} ${sent.text}`);
  return worked(app, person, (sent.body as { rq_id: string }).rq_id);
}
