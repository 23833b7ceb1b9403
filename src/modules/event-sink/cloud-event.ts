import { resourceOf } from '../../core/events/event-declaration.js';
import type { StoredEvent } from '../../core/events/event-map.js';
import { eventPayload, headInForm, headOf, type PayloadForm } from '../../core/events/payload.js';
import { LATEST_VERSION } from '../../core/versioning/accept.js';
import type { Representations } from '../../core/versioning/representations.js';
import type { BrokerMessage } from '../../engines/event-broker/broker.js';

type Renderer = Pick<Representations, 'olderRepresentation' | 'render'>;

/** What all messages of an installation have in common. */
export interface Publisher {
  /** Unique among installations. */
  readonly name: string;
  /** The public URL of the server; empty if it is not set. */
  readonly publicUrl: string;
  /** Longer messages contain only the id and the URL of their object, in bytes. */
  readonly maxBytes: number;
}

/**
 * The event as CloudEvents JSON in structured mode: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md.
 * Its data is the payload that webhooks get in the newest API version, without `webhook_id`.
 */
export function toMessage(event: StoredEvent, publisher: Publisher, renderer: Renderer): BrokerMessage {
  const resource = resourceOf(event.name);
  const key = `${resource}/${event.objectId}`;
  const attributes = JSON.stringify({
    specversion: '1.0',
    id: String(event.id),
    source: publisher.publicUrl || `urn:uuid:${publisher.name}`,
    type: event.name,
    subject: key,
    time: event.occurredAt,
    datacontenttype: 'application/json',
    apiversion: LATEST_VERSION,
    partitionkey: key,
    ...(event.organizationId === null ? {} : { organizationid: event.organizationId }),
    ...(event.projectId === null ? {} : { projectid: event.projectId }),
    ...(event.traceparent == null ? {} : { traceparent: event.traceparent }),
  });
  const bodyIn = (form: PayloadForm): string => `${attributes.slice(0, -1)},"data":${dataIn(form, event, renderer)}}}`;
  const full = bodyIn('full');
  const isLong = Buffer.byteLength(full) > publisher.maxBytes;
  const [operation = ''] = event.name.split(':');
  return {
    id: `${publisher.name}-${event.id}`,
    key,
    topic: `${resource}.${operation}`,
    body: isLong ? bodyIn('thin') : full,
  };
}

/** The data of a message. An event that cannot be shown must not stop the others: its data names only the object. */
function dataIn(form: PayloadForm, event: StoredEvent, renderer: Renderer): string {
  try {
    return headInForm(eventPayload(event, LATEST_VERSION, renderer), form);
  } catch {
    return headOf({ event: event.name, [resourceOf(event.name)]: { id: event.objectId }, sender: event.sender });
  }
}
