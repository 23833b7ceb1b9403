import { lookup, Resolver } from 'node:dns/promises';
import { codeOf } from './failure.js';

/** Gives the addresses of a host name, in the order to try them. Throws what `node:dns` throws. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** Look-ups by the system at a time: each holds one of the few threads that files and cryptography need, too. */
const SYSTEM_LOOKUPS = 2;
const NOT_IN_DNS: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'ENONAME', 'EBADNAME']);

/**
 * The resolver of production. It asks the name servers itself, without a thread of its own, so that a name server that
 * does not answer delays its own receivers only. The system's resolver (hosts file, search domains) is asked for single
 * labels such as `localhost` or the name of a container, and for what the name servers do not know.
 */
export function createResolver(): Resolve {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const inTurn = limited(SYSTEM_LOOKUPS);
  const bySystem: Resolve = (hostname) =>
    inTurn(async () => (await lookup(hostname, { all: true })).map(({ address }) => address));

  return async (hostname) => {
    if (!hostname.includes('.')) return bySystem(hostname);
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    const reason: unknown = v4.status === 'rejected' ? v4.reason : undefined;
    if (!NOT_IN_DNS.has(codeOf(reason))) throw reason;
    return bySystem(hostname);
  };
}

/** Runs at most `count` of the given functions at a time, in order. */
function limited(count: number): <T>(run: () => Promise<T>) => Promise<T> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (run) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
