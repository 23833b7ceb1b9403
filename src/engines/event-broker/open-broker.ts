import type { Broker, BrokerTarget } from './broker.js';
import { openKafka } from './kafka.js';
import { openNats } from './nats.js';

/**
 * Connects to a broker. Its client is loaded on first use.
 * @param publisher name of the publisher, unique among those that share the broker. Of two publishers with the same
 *   name, Kafka stops the older
 */
export function openBroker(target: BrokerTarget, publisher: string): Promise<Broker> {
  return target.kind === 'nats' ? openNats(target) : openKafka(target, publisher);
}
