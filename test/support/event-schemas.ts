import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { INestApplication } from '@nestjs/common';
import type { Tx } from '../../src/core/database/tx.js';
import { ALL_EVENTS, resourceOf } from '../../src/core/events/event-declaration.js';
import type { EventRecord, StoredEvent } from '../../src/core/events/event-map.js';
import { type LongExtras, OutboxWriter } from '../../src/core/events/outbox.writer.js';
import { API_VERSIONS, type ApiVersion } from '../../src/core/versioning/accept.js';
import { Representations, type Snapshot } from '../../src/core/versioning/representations.js';
import { ApiDocument, payloadSchemas, THIN_EVENT, toJsonSchema } from '../../src/modules/docs/index.js';
import { eventPayload } from '../../src/core/events/payload.js';
import { WebhookSender } from '../../src/modules/webhooks/delivery/webhook-sender.js';

type Json = Readonly<Record<string, unknown>>;

/** Validates payloads against the published schemas. A key that a schema does not define is an error, too. */
export class EventSchemas {
  private readonly ajv = new Ajv2020({ strict: false, unicodeRegExp: true });
  private readonly validators = new Map<string, ValidateFunction>();
  private names: ReadonlyMap<string, Readonly<Record<ApiVersion, string>>> | undefined;

  /** Cached, because compiling takes seconds, and applications with the same events publish the same schemas. */
  static of(app: INestApplication): EventSchemas {
    const events = ALL_EVENTS.join();
    const known = EventSchemas.byEvents.get(events) ?? new EventSchemas(app.get(ApiDocument));
    EventSchemas.byEvents.set(events, known);
    return known;
  }

  private static readonly byEvents = new Map<string, EventSchemas>();

  private constructor(private readonly document: ApiDocument) {
    addFormats.default(this.ajv);
    this.ajv.addFormat('uri', true); // URLs in payloads of background work may be relative
  }

  /** @returns null if the payload is valid */
  problem(payload: Json, version: ApiVersion): string | null {
    const validate = this.validator(String(payload['event']), version);
    if (validate === undefined) return `${String(payload['event'])} is not in the catalogue`;
    if (validate(payload)) return null;
    const [error] = validate.errors ?? [];
    return `${String(payload['event'])}, version ${version}: ${error?.instancePath} ${error?.message} ${JSON.stringify(error?.params)}`;
  }

  /** Validates the payload of a webhook with thin payloads. */
  thinProblem(payload: Json): string | null {
    this.schemas();
    const validate = this.compiled(THIN_EVENT);
    return validate(payload) ? null : this.ajv.errorsText(validate.errors);
  }

  private validator(event: string, version: ApiVersion): ValidateFunction | undefined {
    const name = this.schemas().get(event)?.[version];
    return name === undefined ? undefined : this.compiled(name);
  }

  private compiled(name: string): ValidateFunction {
    const known = this.validators.get(name) ?? this.ajv.compile({ $ref: `api#/components/schemas/${name}` });
    this.validators.set(name, known);
    return known;
  }

  /** The document is created with the first event, because many tests have none. */
  private schemas(): ReadonlyMap<string, Readonly<Record<ApiVersion, string>>> {
    if (this.names !== undefined) return this.names;
    const { components } = this.document.get();
    const reference = (inner: string): string => inner.replace('#/', 'api#/');
    this.ajv.addSchema({ $id: 'api', components: toJsonSchema(components, { closed: true, reference }) });
    this.names = new Map(payloadSchemas().map(({ event, schemas }) => [event, schemas]));
    return this.names;
  }
}

/**
 * From now on validates every event that the application records, in every version, and everything that it sends. A
 * change whose event differs from the published schema fails.
 */
export function watchPayloads(app: INestApplication): void {
  const schemas = EventSchemas.of(app);
  const representations = app.get(Representations);
  const refuse = (problem: string | null): void => {
    if (problem === null) return;
    console.error(`A payload is not as its schema says: ${problem}`);
    throw new Error(problem);
  };
  const writer = app.get(OutboxWriter);
  const write = writer.write.bind(writer);
  writer.write = async (tx, long) => {
    const added = await longExtrasOf(tx, writer.held(tx), long);
    for (const event of writer.held(tx)) {
      const isLong = resourceOf(event.name) === long?.resource;
      const extras = { ...event.after.extras, ...(isLong ? added.get(String(event.objectId)) : {}) };
      const after = { ...event.after, extras };
      for (const version of API_VERSIONS) {
        const stored: StoredEvent = { ...event, after, id: 1, occurredAt: '' };
        const { payload } = eventPayload(stored, version, representations);
        const wire = JSON.parse(JSON.stringify({ ...payload, webhook_id: 1 })) as Json;
        refuse(schemas.problem(wire, version));
      }
    }
    await write(tx, long);
  };
  const sender = app.get(WebhookSender);
  const send = sender.send.bind(sender);
  sender.send = (message, endpoint) => {
    const payload = JSON.parse(message.payload) as Json;
    if (!('event' in payload)) return send(message, endpoint); // rows that a test inserted itself
    const problems = API_VERSIONS.map((version) => schemas.problem(payload, version));
    if (!problems.includes(null) && schemas.thinProblem(payload) !== null) refuse(problems[0] ?? null);
    return send(message, endpoint);
  };
}

/** Very long extras of the objects, by their ids; one statement. */
async function longExtrasOf(
  tx: Tx,
  held: readonly EventRecord[],
  long?: LongExtras,
): Promise<ReadonlyMap<string, Snapshot['extras']>> {
  const objects = held.filter(({ name }) => resourceOf(name) === long?.resource).map(({ after }) => after.object);
  if (long === undefined || objects.length === 0) return new Map();
  const rows = await tx.query<{ object_id: string; extras: Snapshot['extras'] }>(long.select(objects));
  return new Map(rows.map((row) => [row.object_id, row.extras]));
}
