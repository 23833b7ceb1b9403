import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Response } from 'supertest';
import { openDatasetFiles } from '../../src/engines/annotations/formats/zip.js';
import { RequestWorker } from '../../src/modules/requests/index.js';
import type { TestApp } from './app.js';
import type { Person } from './given.js';

/** The path of an object below `/api`, such as `tasks/5`. */
export type ObjectPath = string;

/** Processes all pending requests and reads one of them. */
export async function worked(app: TestApp, person: Person, requestId: string): Promise<Response> {
  await app.app.get(RequestWorker).drain();
  return person.http.get(`/api/requests/${encodeURIComponent(requestId)}`);
}

/** Processes a request. @returns the finished request */
export async function ended(
  app: TestApp,
  person: Person,
  asked: { readonly status: number; readonly body: unknown },
): Promise<Record<string, unknown>> {
  expect([asked.status, asked.body]).toEqual([202, { rq_id: expect.any(String) }]);
  return (await worked(app, person, (asked.body as { rq_id: string }).rq_id)).body as Record<string, unknown>;
}

/** Parameters; lists are repeated. */
type ExportParameters = Readonly<Record<string, string | readonly string[]>>;

export const askForExport = (person: Person, object: ObjectPath, query: ExportParameters) =>
  person.http.post(`/api/${object}/dataset/export`).query(query);

/** Exports and downloads the file. */
export async function exported(
  app: TestApp,
  person: Person,
  object: ObjectPath,
  query: ExportParameters,
): Promise<Response> {
  const asked = await askForExport(person, object, query);
  if (asked.status !== 202) throw new Error(`not exported: ${asked.status} ${asked.text}`);
  const request = await worked(app, person, (asked.body as { rq_id: string }).rq_id);
  const { result_url: url, message } = request.body as { result_url: string | null; message: string };
  if (url === null) throw new Error(`not exported: ${message}`);
  const { pathname, search } = new URL(url);
  return person.http.get(`${pathname}${search}`).buffer(true).parse(bytes);
}

/** Uploads a file in one form. */
export const sendAnnotations = (
  person: Person,
  object: ObjectPath,
  format: string,
  file: { readonly name: string; readonly content: Buffer },
  more: Readonly<Record<string, string>> = {},
) =>
  person.http
    .post(`/api/${object}/annotations`)
    .query({ format, ...more })
    .attach('annotation_file', file.content, { filename: file.name, contentType: 'application/octet-stream' });

/** The files of an archive. @param folder where the archive is stored while it is read */
export async function unpacked(folder: string, archive: Buffer): Promise<Map<string, Buffer>> {
  const path = join(folder, 'unpacked.zip');
  await writeFile(path, archive);
  const files = await openDatasetFiles(path, 'unpacked.zip');
  try {
    const contents = new Map<string, Buffer>();
    for (const name of files.paths) {
      const pieces: Uint8Array[] = [];
      for await (const piece of files.read(name)) pieces.push(piece);
      contents.set(name, Buffer.concat(pieces));
    }
    return contents;
  } finally {
    files.close();
  }
}

/** Reads a response as raw bytes. */
export function bytes(response: Response, done: (error: Error | null, body: unknown) => void): void {
  const stream = response as unknown as NodeJS.ReadableStream;
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  stream.on('end', () => done(null, Buffer.concat(pieces)));
}
