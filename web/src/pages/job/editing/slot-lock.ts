import { randomId } from '../../../app/random-id';

/** A page answers within this time unless it is blocked. */
const ANSWER_MS = 1_000;
const HELD = 'held';

/** Browsers have locks on pages with HTTPS or of this machine only. Elsewhere, pages ask each other. */
const locks = (): LockManager | undefined => ('locks' in navigator ? navigator.locks : undefined);

/** Holds a name as long as the page lives. @returns a function that ends this */
export function hold(name: string): () => void {
  let release: () => void = () => undefined;
  const manager = locks();
  if (manager !== undefined) {
    void manager.request(name, () => new Promise<void>((resolve) => (release = resolve)));
    return () => release();
  }
  const channel = new BroadcastChannel(name);
  channel.addEventListener('message', ({ data }) => (data === HELD ? undefined : post(channel, HELD)));
  return () => channel.close();
}

/** Runs `work` unless a page holds the name. No other page runs its own meanwhile. */
export async function ifFree(name: string, work: () => Promise<void>): Promise<void> {
  const manager = locks();
  if (manager !== undefined) {
    await manager.request(name, { ifAvailable: true }, (lock) => (lock === null ? undefined : work()));
    return;
  }
  const channel = new BroadcastChannel(name);
  try {
    if (await isFree(channel)) await work();
  } finally {
    channel.close();
  }
}

/** Asks whether a page holds the name of the channel. Of several pages that ask, the one with the lowest id gets it. */
function isFree(channel: BroadcastChannel): Promise<boolean> {
  const id = randomId();
  let isMine = false;
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve((isMine = true)), ANSWER_MS);
    channel.addEventListener('message', ({ data }: MessageEvent<string>) => {
      if (data !== HELD && (isMine || data > id)) return post(channel, HELD);
      clearTimeout(timer);
      if (!isMine) resolve(false);
    });
    post(channel, id);
  });
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the pages of a channel have the same origin
const post = (channel: BroadcastChannel, message: string): void => channel.postMessage(message);
