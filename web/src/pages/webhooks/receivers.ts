import { useQuery } from '@tanstack/react-query';
import { CairnError, unwrap } from 'cairn-client';
import { useEffect, useState } from 'react';
import { api, type Receiver } from '../../app/api';

export const RECEIVERS = ['receivers'] as const;
/** Of each receiver the server keeps as many. */
const MOST_ARRIVALS = 100;
const SECRET_BYTES = 24;

/** What came to a receiver. */
export interface Arrival {
  readonly id: number;
  readonly received_date: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Cut at 64 KiB. */
  readonly body: string;
  /** Bytes of the whole body. */
  readonly size: number;
  /** What is wrong with each signature, null for a right one; null as a whole: the receiver does not know the secret. */
  readonly signatures: { readonly standard: string | null; readonly body: string | null } | null;
}

/** One's own receivers. An error of status 404 means that the server has none for anybody. */
export function useReceivers() {
  return useQuery({
    queryKey: RECEIVERS,
    queryFn: async ({ signal }) => unwrap(await api.GET('/api/inspect', { signal })),
  });
}

export const isSwitchedOff = (error: unknown): boolean => error instanceof CairnError && error.status === 404;

/** @param secret of the webhook, for signatures to be judged; empty: they are not */
export const makeReceiver = async (secret: string): Promise<Receiver> =>
  unwrap(await api.POST('/api/inspect', { body: { secret } }));

export async function removeReceiver(box: string): Promise<void> {
  unwrap(await api.DELETE('/api/inspect/{box}', { params: { path: { box } } }));
}

/** A secret of the kind that the libraries of Standard Webhooks take. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return `whsec_${btoa(String.fromCharCode(...bytes))}`;
}

/** @returns id of the receiver of this server that the address is, or null */
export function receiverOf(address: string): string | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || url.host !== window.location.host) return null;
  return /^\/inspect\/([\w-]+)$/.exec(url.pathname)?.[1] ?? null;
}

/**
 * What comes, as it comes, the newest first.
 * @param since changes when listening has to begin anew
 * @param onEnd the server no longer answers: it is to be asked why
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
          .slice(0, MOST_ARRIVALS),
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
