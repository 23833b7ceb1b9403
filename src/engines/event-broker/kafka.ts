import { setTimeout as wait } from 'node:timers/promises';
import type { Kafka, KafkaConfig, Producer } from 'kafkajs';
import {
  type Broker,
  type BrokerMessage,
  type BrokerTarget,
  type Published,
  readBrokerFiles,
  REQUEST_MS,
} from './broker.js';

/** Time for one list of messages. Kafka aborts a transaction that is open for longer. */
const LIST_MS = 15_000;
const CONTENT_TYPE = 'application/cloudevents+json; charset=UTF-8';
/** Kafka limits a batch of messages like a single one, by default to a mebibyte. */
const BATCH_BYTES = 900 * 2 ** 10;
/** Bytes of a message besides its body, at most. */
const OVERHEAD_BYTES = 200;
/** The caller retries, with increasing pauses. */
const RETRY = { retries: 2, initialRetryTime: 100 };

/** Connects to Kafka as a transactional producer. */
export async function openKafka(target: BrokerTarget, publisher: string): Promise<Broker> {
  const { default: kafkajs } = await import('kafkajs');
  const client = new kafkajs.Kafka({ ...(await optionsFor(target)), logLevel: kafkajs.logLevel.NOTHING });
  const producer = client.producer({
    transactionalId: publisher,
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    transactionTimeout: LIST_MS,
    retry: RETRY,
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner, // the partitions of Kafka's own clients
  });
  await producer.connect();
  return new KafkaBroker(target, client, producer);
}

/** @throws BrokerFileError */
async function optionsFor(target: BrokerTarget): Promise<KafkaConfig> {
  const { servers, tls, user, password, sasl } = target;
  const { ca, cert, key } = await readBrokerFiles(target);
  const ssl = { ...(ca === undefined ? {} : { ca }), ...(cert === undefined ? {} : { cert, key }) };
  return {
    clientId: 'cairn',
    brokers: [...servers],
    connectionTimeout: REQUEST_MS,
    authenticationTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    retry: RETRY,
    ...(tls ? { ssl } : {}),
    ...(user === '' ? {} : { sasl: { mechanism: sasl as 'plain', username: user, password } }),
  };
}

class KafkaBroker implements Broker {
  readonly product = 'Kafka';
  private closed = false;

  constructor(
    private readonly target: BrokerTarget,
    private readonly client: Kafka,
    private readonly producer: Producer,
  ) {
    producer.on('producer.disconnect', () => (this.closed = true));
  }

  get isClosed(): boolean {
    return this.closed;
  }

  async exists(): Promise<boolean | null> {
    const admin = this.client.admin();
    await admin.connect();
    try {
      return (await admin.listTopics()).includes(this.target.channel);
    } finally {
      await admin.disconnect();
    }
  }

  /** Partitions and replicas as the cluster's defaults say. */
  async create(): Promise<void> {
    if (await this.exists()) return;
    const admin = this.client.admin();
    await admin.connect();
    try {
      await admin.createTopics({ topics: [{ topic: this.target.channel }] });
    } finally {
      await admin.disconnect();
    }
  }

  /**
   * All messages or none: they are one transaction. Starting the transactions of a publisher ends those of another with
   * its name, so a process that has lost its lease cannot publish any more. An error closes the connection, because the
   * state of its transaction is not known.
   */
  async publish(messages: readonly BrokerMessage[]): Promise<Published> {
    const ending = new AbortController();
    const late = wait(LIST_MS, undefined, { ref: false, signal: ending.signal }).then(() => {
      throw new Error('The server is too slow.');
    });
    try {
      await Promise.race([this.commit(messages), late]);
      return { stored: [...messages.keys()] };
    } catch (error) {
      void this.close();
      return { stored: [], error: error instanceof Error ? error : new Error(String(error)) };
    } finally {
      late.catch(() => undefined);
      ending.abort();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.producer.disconnect();
  }

  private async commit(messages: readonly BrokerMessage[]): Promise<void> {
    const transaction = await this.producer.transaction();
    try {
      for (const batch of batchesOf(messages)) {
        const records = batch.map(({ key, body }) => ({ key, value: body, headers: { 'content-type': CONTENT_TYPE } }));
        await transaction.send({ topic: this.target.channel, acks: -1, messages: records });
      }
    } catch (error) {
      await transaction.abort().catch(() => undefined); // Kafka aborts it later
      throw error;
    }
    await transaction.commit();
  }
}

function* batchesOf(messages: readonly BrokerMessage[]): Generator<BrokerMessage[]> {
  let batch: BrokerMessage[] = [];
  let size = 0;
  for (const message of messages) {
    const bytes = Buffer.byteLength(message.body) + OVERHEAD_BYTES;
    if (batch.length > 0 && size + bytes > BATCH_BYTES) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(message);
    size += bytes;
  }
  if (batch.length > 0) yield batch;
}
