import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { type EachMessagePayload, Kafka, logLevel } from 'kafkajs';
import { type Program, startProgram } from './programs.js';

/** A message as a consumer reads it. */
export interface Consumed {
  /** The subject in NATS, the key in Kafka. */
  readonly address: string;
  readonly contentType: string;
  readonly body: CloudEvent;
}

export interface CloudEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A message broker that a test can kill. */
export interface TestBroker {
  /** The value of EVENT_SINK. */
  readonly url: string;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again with its messages, on the same port. */
  start(): Promise<void>;
  /** All messages, as soon as they are those of `events` events. Messages with the same key are in order. */
  read(events: number): Promise<Consumed[]>;
  /** Stops it and removes its messages. */
  remove(): Promise<void>;
}

/** Kafka takes half a minute on a machine with other work. */
const START_MS = 180_000;

/** A program with a folder of its own, which survives a restart. */
class Restarted {
  private constructor(
    private readonly begin: (port?: number) => Promise<Program>,
    private readonly folder: string,
    private program: Program,
  ) {}

  static async of(name: string, args: (port: number, folder: string) => readonly string[]): Promise<Restarted> {
    const folder = await mkdtemp(join(tmpdir(), `cairn-${name}-`));
    const begin = (port?: number): Promise<Program> =>
      startProgram(name, (own) => args(own, folder), { startMs: START_MS, ...(port === undefined ? {} : { port }) });
    return new Restarted(begin, folder, await begin());
  }

  get port(): number {
    return this.program.port;
  }

  readonly kill = (): Promise<void> => this.program.kill();

  readonly start = async (): Promise<void> => {
    this.program = await this.begin(this.port);
  };

  readonly remove = async (): Promise<void> => {
    await this.program.stop();
    await rm(this.folder, { recursive: true, force: true });
  };
}

export async function startNats(): Promise<TestBroker> {
  const login = '--user cairn --pass p@ss'.split(' ');
  const server = await Restarted.of('nats-server', (port, folder) => {
    return ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder, ...login];
  });
  const { kill, start, remove } = server;
  const url = `nats://cairn:p%40ss@127.0.0.1:${server.port}/cairn?stream=EVENTS`;
  return { url, kill, start, remove, read: () => readNats(server.port) };
}

async function readNats(port: number): Promise<Consumed[]> {
  const connection = await connect({ servers: `127.0.0.1:${port}`, user: 'cairn', pass: 'p@ss' });
  try {
    const manager = await jetstreamManager(connection);
    const { messages } = (await manager.streams.info('EVENTS')).state;
    const { name } = await manager.consumers.add('EVENTS', { ack_policy: AckPolicy.None });
    const consumer = await jetstream(connection).consumers.get('EVENTS', name);
    const read: Consumed[] = [];
    if (messages === 0) return read;
    for await (const message of await consumer.fetch({ max_messages: messages, expires: 5_000 })) {
      const contentType = message.headers?.get('Content-Type') ?? '';
      read.push({ address: message.subject, contentType, body: message.json() });
    }
    return read;
  } finally {
    await connection.close();
  }
}

export async function startKafka(): Promise<TestBroker> {
  const server = await Restarted.of('kafka-server', (port, folder) => [String(port), folder]);
  const { kill, start, remove } = server;
  const url = `kafka://127.0.0.1:${server.port}/cairn.events`;
  return { url, kill, start, remove, read: (events) => readKafka(server.port, events) };
}

/** The end of a topic does not show which messages are readable: transactions end a moment after they are committed. */
async function readKafka(port: number, events: number): Promise<Consumed[]> {
  const client = new Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING, retry: { retries: 20 } });
  const consumer = client.consumer({ groupId: randomUUID() });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic: 'cairn.events', fromBeginning: true });
    const read: Consumed[] = [];
    const ids = new Set<string>();
    await new Promise<void>((resolve, reject) => {
      consumer.on('consumer.crash', ({ payload }) => reject(payload.error));
      const eachMessage = ({ message: { key, value, headers } }: EachMessagePayload): Promise<void> => {
        const body = JSON.parse(value?.toString() ?? '') as CloudEvent;
        read.push({ address: key?.toString() ?? '', contentType: String(headers?.['content-type']), body });
        if (ids.add(body.id).size === events) resolve();
        return Promise.resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
    return read;
  } finally {
    await consumer.disconnect();
  }
}
