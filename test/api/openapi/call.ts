import type { Response, Test } from 'supertest';
import type { Person } from '../../support/given.js';
import type { World } from './world.js';

/** One request of a person. */
export interface Call {
  readonly path: string;
  readonly body?: object | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, Buffer>>;
}

/** How to call an operation. Evaluated for each call, so that a deleted object exists again for the next one. */
export type Caller = (world: World, actor: Person) => Call | readonly Call[] | Promise<Call | readonly Call[]>;

/** A call that is always the same. */
export const at =
  (path: string): Caller =>
  () => ({ path });

/** Sends a call; the body of the response is its bytes. */
export async function send(operation: string, call: Call, actor: Person, version: string): Promise<Response> {
  const verb = operation.split(' ')[0]?.toLowerCase() as 'get';
  const unversioned = operation.startsWith('GET /api/schema/');
  const accept = unversioned ? '*/*' : `application/vnd.cvat+json; version=${version}`;
  const request: Test = actor.http[verb](call.path)
    .set('Accept', accept)
    .set(call.headers ?? {});
  const files = Object.entries(call.files ?? {});
  if (files.length > 0) void request.field('image_quality', '70');
  files.forEach(([name, data], index) => void request.attach(`client_files[${index}]`, data, name));
  if (call.body !== undefined) void request.send(call.body);
  return request.buffer(true).parse(asBytes);
}

/** A parser for responses whose body is bytes. */
export function asBytes(answer: unknown, done: (error: Error | null, bytes: Buffer) => void): void {
  const parts: Buffer[] = [];
  const stream = answer as NodeJS.ReadableStream;
  stream.on('data', (part: Buffer) => parts.push(Buffer.from(part)));
  stream.on('end', () => done(null, Buffer.concat(parts)));
}
