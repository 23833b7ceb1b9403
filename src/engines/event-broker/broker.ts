import { readFile } from 'node:fs/promises';

/** A message to publish. */
export interface BrokerMessage {
  /** Unique for the event, and the same in all attempts, so that a broker can recognize repetitions. */
  readonly id: string;
  /** Messages with the same key stay in order. */
  readonly key: string;
  /** The end of a NATS subject, such as `job.update`. */
  readonly topic: string;
  readonly body: string;
}

/** What became of a list of messages. */
export interface Published {
  /** Positions in the list of the messages that the broker has stored. */
  readonly stored: readonly number[];
  /** Why the others were not stored. */
  readonly error?: Error;
}

/** Which messages a broker gets, and how to connect to it. */
export interface BrokerTarget {
  readonly kind: 'nats' | 'kafka';
  /** `host:port` */
  readonly servers: readonly string[];
  /** What NATS subjects begin with, or the Kafka topic. */
  readonly channel: string;
  readonly stream: string;
  readonly tls: boolean;
  readonly user: string;
  readonly password: string;
  readonly sasl: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly credentials: string;
  readonly nkey: string;
}

/** A connection to a message broker. */
export interface Broker {
  /** The product and its version if it is known, such as `NATS 2.9.10`. */
  readonly product: string;
  readonly isClosed: boolean;
  /** Whether the stream or topic exists; null if this account may not ask. */
  exists(): Promise<boolean | null>;
  /** Creates the stream or topic unless it exists. */
  create(): Promise<void>;
  /**
   * Publishes messages. Of those with the same key, each is sent only after the broker has stored the one before it.
   * Takes at most about 15 seconds.
   */
  publish(messages: readonly BrokerMessage[]): Promise<Published>;
  close(): Promise<void>;
}

/** Time for connecting, and for one request. */
export const REQUEST_MS = 5_000;

const FILES = ['ca', 'cert', 'key', 'credentials', 'nkey'] as const;

/** The contents of the files that a target names, or their paths. */
export type BrokerFiles = { readonly [name in (typeof FILES)[number]]?: string };

/** A file that the URL of the event sink names cannot be read. */
export class BrokerFileError extends Error {
  override name = 'BrokerFileError';
}

/** Reads the certificates and keys of a target. @throws BrokerFileError */
export async function readBrokerFiles(paths: BrokerFiles): Promise<BrokerFiles> {
  const named = FILES.flatMap((name) => (paths[name] ? [{ name, path: paths[name] }] : []));
  return Object.fromEntries(await Promise.all(named.map(async ({ name, path }) => [name, await textOf(name, path)])));
}

async function textOf(name: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw new BrokerFileError(`The file ${path}, which ${name} of EVENT_SINK names, ${reason}.`, { cause: error });
  }
}
