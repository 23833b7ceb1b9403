import { unwrap } from 'cairn-client';
import { api, type Project, type Task } from '../app/api';

/** An object together with the tag of its state, by which the server notices changes of others. */
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

/** Header that lets a change through only while the object is as it was read. */
export const onlyIf = (etag: string): Record<string, string> => (etag === '' ? {} : { 'If-Match': etag });
