import { unwrap } from 'cairn-client';
import { api, type Webhook } from '../../app/api';
import type { Tagged } from '../../components/tagged';

export const webhookKey = (id: number): readonly unknown[] => ['webhook', id];

export async function readWebhook(id: number, signal?: AbortSignal): Promise<Tagged<Webhook>> {
  const answer = await api.GET('/api/webhooks/{id}', { params: { path: { id } }, signal: signal ?? null });
  return { value: unwrap(answer), etag: answer.response.headers.get('ETag') ?? '' };
}
