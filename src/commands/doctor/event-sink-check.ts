import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/config.js';
import { openBroker } from '../../engines/event-broker/open-broker.js';
import { withoutSecrets } from '../../modules/event-sink/index.js';
import { failure, type Finding, ok, warning } from './finding.js';

/** Connects to the broker of `EVENT_SINK`, without publishing anything. @returns no findings if it is not set */
export async function checkEventSink({ eventSink: { target } }: Config): Promise<Finding[]> {
  if (target === null) return [];
  const subject = 'event sink';
  const where = target.servers.join(', ');
  try {
    const broker = await openBroker(target, `cairn-doctor-${randomUUID()}`);
    try {
      const name = target.kind === 'nats' ? `stream ${target.stream}` : `topic ${target.channel}`;
      const exists = await broker.exists();
      if (exists !== null) {
        const state = exists ? 'exists' : 'will be created with the first event';
        return [ok(subject, `${broker.product} at ${where}; ${name} ${state}`)];
      }
      const advice = `Permit it, or make sure that the ${name} exists.`;
      return [warning(subject, `${broker.product} at ${where} does not show whether the ${name} exists`, advice)];
    } finally {
      await broker.close().catch(() => undefined);
    }
  } catch (error) {
    const known = error instanceof Error ? error : new Error(String(error));
    const text = `${where} cannot be used: ${withoutSecrets(known, target)}`;
    return [failure(subject, text, 'Start the broker, or correct EVENT_SINK. Events are kept until it accepts them.')];
  }
}
