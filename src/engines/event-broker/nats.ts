import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { Authenticator, ConnectionOptions, MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import {
  type Broker,
  type BrokerFiles,
  type BrokerMessage,
  type BrokerTarget,
  type Published,
  readBrokerFiles,
  REQUEST_MS,
} from './broker.js';

/** No message of a list is sent after this time, so that a slow server does not hold the caller for longer. */
const LIST_MS = 10_000;
/** JetStream's code for a stream that does not exist. */
const STREAM_NOT_FOUND = 10059;
const CONTENT_TYPE = 'application/cloudevents+json; charset=utf-8';

/** Connects to NATS JetStream. @throws BrokerFileError */
export async function openNats(target: BrokerTarget): Promise<Broker> {
  const [{ connect, headers }, { jetstream, jetstreamManager }] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
  ]);
  const { credentials, nkey, ...tls } = await readBrokerFiles(target);
  const authenticator = await authenticatorOf(credentials, nkey);
  const connection = await connect({ ...optionsFor(target, tls), ...authenticator });
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: REQUEST_MS });
  return new NatsBroker(target, connection, jetstream(connection, { timeout: REQUEST_MS }), manager, headers);
}

async function authenticatorOf(credentials?: string, nkey?: string): Promise<{ authenticator?: Authenticator }> {
  const { credsAuthenticator, nkeyAuthenticator } = await import('@nats-io/transport-node');
  if (credentials !== undefined) return { authenticator: credsAuthenticator(Buffer.from(credentials)) };
  return nkey === undefined ? {} : { authenticator: nkeyAuthenticator(Buffer.from(seedIn(nkey))) };
}

/** The seed of a key pair; files of `nk` and `nsc` may have other lines around it. */
const seedIn = (text: string): string => /^\s*(S[A-Z2-7]{57})\s*$/m.exec(text)?.[1] ?? text.trim();

/**
 * A lost connection is not opened again: the caller opens another, so no message of an earlier attempt can follow those
 * of a later one.
 */
function optionsFor({ servers, tls, user, password }: BrokerTarget, files: BrokerFiles): ConnectionOptions {
  return {
    servers: [...servers],
    name: 'cairn',
    timeout: REQUEST_MS,
    reconnect: false,
    ...(tls || Object.keys(files).length > 0 ? { tls: files } : {}),
    ...(user === '' ? {} : password === '' ? { token: user } : { user, pass: password }),
  };
}

/** JetStream's client has the same error for a server without JetStream and for a subject without a stream. */
const isWithoutJetStream = (error: unknown): boolean => error instanceof Error && error.name === 'JetStreamNotEnabled';

const NO_JETSTREAM =
  'JetStream is switched off at the server. Start nats-server with -js, or add "jetstream {}" to its configuration.';

class NatsBroker implements Broker {
  readonly product: string;

  constructor(
    private readonly target: BrokerTarget,
    private readonly connection: NatsConnection,
    private readonly stream: JetStreamClient,
    private readonly manager: JetStreamManager,
    private readonly headers: () => MsgHdrs,
  ) {
    this.product = `NATS ${connection.info?.version ?? ''}`.trim();
  }

  get isClosed(): boolean {
    return this.connection.isClosed();
  }

  async exists(): Promise<boolean | null> {
    try {
      await this.manager.streams.info(this.target.stream);
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === STREAM_NOT_FOUND) return false;
      if (this.isClosed) throw error;
      if (isWithoutJetStream(error) && this.connection.info?.jetstream !== true)
        throw new Error(NO_JETSTREAM, { cause: error });
      return null;
    }
  }

  async create(): Promise<void> {
    if ((await this.exists()) !== false) return;
    const { stream: name, channel } = this.target;
    await this.manager.streams.add({ name, subjects: [`${channel}.>`], storage: 'file' });
  }

  async publish(messages: readonly BrokerMessage[]): Promise<Published> {
    const stored: number[] = [];
    const limit = performance.now() + LIST_MS;
    let failure: Error | undefined;
    const publishChain = async (positions: readonly number[]): Promise<void> => {
      for (const position of positions) {
        const message = messages[position];
        if (message === undefined || failure !== undefined) return;
        if (performance.now() > limit) return void (failure = new Error('The server is too slow.'));
        try {
          await this.send(message);
          stored.push(position);
        } catch (error) {
          failure ??= this.explained(error, message);
        }
      }
    };
    await Promise.all([...chainsOf(messages).values()].map(publishChain));
    return failure === undefined ? { stored } : { stored, error: failure };
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  private async send({ id, topic, body }: BrokerMessage): Promise<void> {
    const headers = this.headers();
    headers.set('Content-Type', CONTENT_TYPE);
    const { stream } = this.target;
    await this.stream.publish(this.subject(topic), body, { msgID: id, headers, expect: { streamName: stream } });
  }

  private explained(error: unknown, { topic }: BrokerMessage): Error {
    const known = error instanceof Error ? error : new Error(String(error));
    if (!isWithoutJetStream(known)) return known;
    const { stream, channel } = this.target;
    const text = `The server has no stream for the subject ${this.subject(topic)}.`;
    return new Error(`${text} Enable JetStream, and add ${channel}.> to the subjects of the stream ${stream}.`);
  }

  private subject(topic: string): string {
    return `${this.target.channel}.${topic}`;
  }
}

/** Positions of the messages by key, in order. */
function chainsOf(messages: readonly BrokerMessage[]): ReadonlyMap<string, readonly number[]> {
  const chains = new Map<string, number[]>();
  for (const [position, { key }] of messages.entries()) {
    const chain = chains.get(key);
    if (chain === undefined) chains.set(key, [position]);
    else chain.push(position);
  }
  return chains;
}
