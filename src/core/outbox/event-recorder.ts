import { Inject, Injectable } from '@nestjs/common';
import type { Actor } from '../../policy/actor.js';
import type { Tx } from '../database/tx.js';
import { Urls } from '../http/urls.js';
import type { Operation } from './event-catalogue.js';
import type { EventSender } from './event-map.js';
import { Representations, type WireObject } from '../versioning/representations.js';

/** Where an event happened: decides which webhooks hear of it. */
export interface EventPlace {
  readonly organizationId: number | null;
  readonly projectId: number | null;
}

/** One object that changed, in the newest API version. */
export interface ObjectChange {
  /** As it is now, or as it was before its deletion. */
  readonly after: object & { readonly id?: number | string; readonly key?: string };
  /** As it was, for updates. */
  readonly before?: object;
  /** What older versions showed of the old object, where that differs. */
  readonly extrasBefore?: WireObject;
  /** Where it happened, for changes in several places. */
  readonly place?: EventPlace;
}

/** Tells, inside the transaction, what happened to resources. */
@Injectable()
export class EventRecorder {
  constructor(@Inject(Representations) private readonly representations: Representations) {}

  /**
   * Records `<operation>:<resource>`, or `<operation>:<resource>[<kind>]`, for each change, in their order. For a deletion call it before the rows go.
   * The number of statements does not depend on the number of changes.
   */
  async record(
    tx: Tx,
    actor: Actor | null,
    name: { readonly operation: Operation; readonly resource: string; readonly kind?: string },
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
        ...(before === undefined
          ? {}
          : {
              before: { object: before, ...(change.extrasBefore === undefined ? {} : { extras: change.extrasBefore }) },
            }),
      });
    });
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
