import { useQuery } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { useEffect, useState } from 'react';
import { api, type Receiver } from '../../app/api';

export const RECEIVERS = ['receivers'] as const;
/** The server keeps this many requests for each receiver. */
const MAX_ARRIVALS = 100;
const SECRET_BYTES = 24;

/** A request that a receiver received. */
export interface Arrival {
  readonly id: number;
  readonly received_date: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Truncated at 64 KiB. */
  readonly body: string;
  /** Size of the complete body in bytes. */
  readonly size: number;
  /** The error of each signature, or null for a valid one. Null as a whole if the receiver has no secret. */
  readonly signatures: { readonly standard: string | null; readonly body: string | null } | null;
}

/** The user's receivers, or null if the server has disabled receivers. */
export function useReceivers() {
  return useQuery({
    queryKey: RECEIVERS,
    queryFn: async ({ signal }) => {
      const response = await api.GET('/api/inspect', { headers: { Prefer: 'handling=empty' }, signal });
      return response.response.status === 204 ? null : unwrap(response);
    },
  });
}

/** @param secret of the webhook, to verify signatures with. If empty, they are not verified. */
export const createReceiver = async (secret: string): Promise<Receiver> =>
  unwrap(await api.POST('/api/inspect', { body: { secret } }));

export async function removeReceiver(box: string): Promise<void> {
  unwrap(await api.DELETE('/api/inspect/{box}', { params: { path: { box } } }));
}

/** @returns a random secret in the format of Standard Webhooks */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

/** @returns the ID of the receiver with this URL, or null if it is not a receiver of this server */
export function receiverOf(target: string): string | null {
  const url = URL.canParse(target) ? new URL(target) : null;
  if (url === null || url.host !== window.location.host) return null;
  return /^\/inspect\/([\w-]+)$/.exec(url.pathname)?.[1] ?? null;
}

/**
 * Requests of a receiver as they arrive, newest first.
 * @param since a new value reconnects
 * @param onEnd called when the server has closed the stream
 */
export function useArrivals(box: string, since: number, onEnd: () => void) {
  const [arrivals, setArrivals] = useState<readonly Arrival[]>([]);
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    if (since === 0) return undefined;
    const source = new EventSource(`/inspect/${encodeURIComponent(box)}/live`);
    source.addEventListener('open', () => setLive(true));
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const arrival = JSON.parse(data) as Arrival;
      setArrivals((before) =>
        [arrival, ...before.filter(({ id }) => id !== arrival.id)]
          .toSorted((a, b) => b.id - a.id)
          .slice(0, MAX_ARRIVALS),
      );
    });
    source.addEventListener('error', () => {
      setLive(false);
      if (source.readyState === EventSource.CLOSED) onEnd();
    });
    return () => source.close();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- onEnd is new in each rendering
  }, [box, since]);
  return { arrivals, isLive };
}
