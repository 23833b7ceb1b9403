import { Inject, Injectable } from '@nestjs/common';
import type { Actor } from '../../shared/policy/actor.js';
import type { Tx } from '../database/tx.js';
import { Urls } from '../http/urls.js';
import type { Operation } from './event-catalogue.js';
import type { EventSender } from './event-map.js';
import { OutboxWriter } from './outbox.writer.js';
import { inParts } from './parts.js';
import { Representations, type WireObject } from '../versioning/representations.js';

/** So many events are held before they are written, most often with the last statements of the transaction. */
const HELD = 250;

/** Where an event happened: decides which webhooks hear of it. */
export interface EventPlace {
  readonly organizationId: number | null;
  readonly projectId: number | null;
}

/** For changes in several places, each of which says its own, and for what belongs to none. */
export const NOWHERE: EventPlace = { organizationId: null, projectId: null };

/** One object that changed, in the newest API version. */
export interface ObjectChange {
  /** As it is now, or as it was before its deletion. */
  readonly after: object & { readonly id?: number | string; readonly key?: string };
  /** As it was, for updates. */
  readonly before?: object;
  /** Where it happened, for changes in several places. */
  readonly place?: EventPlace;
}

export type PlacedChange = ObjectChange & { readonly place: EventPlace };

/** What kind of thing happened to which resource. */
interface EventName {
  readonly operation: Operation;
  readonly resource: string;
  readonly kind?: string;
}

/** Tells, inside the transaction, what happened to resources. */
@Injectable()
export class EventRecorder {
  constructor(
    @Inject(Representations) private readonly representations: Representations,
    @Inject(OutboxWriter) private readonly writer: OutboxWriter,
  ) {}

  /**
   * Records `<operation>:<resource>`, or `<operation>:<resource>[<kind>]`, for each change, in their order. For a deletion call it before the rows go.
   * The number of statements does not depend on the number of changes, up to some hundreds; a great many are written piece
   * by piece, so that memory does not grow with their number. What is very long of them the database looks up itself, at
   * once: later it may have changed.
   */
  async record(
    tx: Tx,
    actor: Actor | null,
    name: EventName,
    place: EventPlace,
    changes: readonly ObjectChange[],
  ): Promise<void> {
    for (const part of inParts(changes)) {
      if (tx.events.length >= HELD) await this.writer.write(tx);
      await this.recordPart(tx, actor, name, place, part);
    }
  }

  private async recordPart(
    tx: Tx,
    actor: Actor | null,
    name: EventName,
    place: EventPlace,
    changes: readonly ObjectChange[],
  ): Promise<void> {
    const snapshots = await this.representations.snapshots(
      tx,
      name.resource,
      changes.map((change) => change.after),
    );
    changes.forEach((change, index) => {
      const before = change.before as WireObject | undefined;
      tx.record({
        name: `${name.operation}:${name.resource}${name.kind === undefined ? '' : `[${name.kind}]`}`,
        objectId: change.after.id ?? change.after.key ?? '',
        sender: actor === null ? null : senderOf(actor),
        ...(change.place ?? place),
        after: snapshots[index] ?? { object: { ...change.after } },
        ...(before === undefined ? {} : { before: { object: before } }),
      });
    });
    const select = this.representations.longExtras(name.resource);
    if (select !== undefined) await this.writer.write(tx, { resource: name.resource, select });
  }
}

/** The actor as events name their sender: in a request another form than in background work, as the contract has it. */
function senderOf(actor: Actor): EventSender {
  const { id, username } = actor;
  if (actor.inBackground === true) return { id, username, email: actor.email };
  return {
    url: new Urls(actor.baseUrl).user(id),
    id,
    username,
    first_name: actor.firstName,
    last_name: actor.lastName,
  };
}
