import { unwrap } from 'cairn-client';
import { api, type Guide } from '../../app/api';
import type { Tagged } from '../tagged';

export const guideKey = (id: number): readonly unknown[] => ['guide', id];

export async function readGuide(id: number, signal?: AbortSignal): Promise<Tagged<Guide>> {
  const answer = await api.GET('/api/guides/{id}', { params: { path: { id } }, signal: signal ?? null });
  return { value: unwrap(answer), etag: answer.response.headers.get('ETag') ?? '' };
}
