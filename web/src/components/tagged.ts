import { unwrap } from 'cairn-client';
import { api, type Project, type Task } from '../app/api';

/** An object with its ETag, which lets the server detect conflicting edits. */
export interface Tagged<Value> {
  readonly value: Value;
  readonly etag: string;
}

export async function readProject(id: number, signal?: AbortSignal): Promise<Tagged<Project>> {
  const answer = await api.GET('/api/projects/{id}', { params: { path: { id } }, signal: signal ?? null });
  return { value: unwrap(answer), etag: answer.response.headers.get('ETag') ?? '' };
}

export async function readTask(id: number, signal?: AbortSignal): Promise<Tagged<Task>> {
  const answer = await api.GET('/api/tasks/{id}', { params: { path: { id } }, signal: signal ?? null });
  return { value: unwrap(answer), etag: answer.response.headers.get('ETag') ?? '' };
}

/** @returns the header that makes a change fail with 412 if the object has changed since it was read */
export const onlyIf = (etag: string): Record<string, string> => (etag === '' ? {} : { 'If-Match': etag });
