import { lookup, Resolver } from 'node:dns/promises';
import { codeOf } from './failure.js';

/** Returns the addresses of a host name, in the order to try them. Throws what `node:dns` throws. */
export type Resolve = (hostname: string) => Promise<string[]>;

/**
 * Concurrent lookups by the system resolver. Each occupies a thread of the small pool shared with files and
 * cryptography.
 */
const SYSTEM_LOOKUPS = 2;
const NOT_IN_DNS: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'ENONAME', 'EBADNAME']);

/**
 * The production resolver. It queries the name servers without occupying a thread, so that an unresponsive name server
 * delays only its own receivers. The system resolver (hosts file, search domains) handles single labels such as
 * `localhost` or a container's name, and names that the name servers do not know.
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

/** Runs at most `count` of the given functions concurrently, in order. */
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
