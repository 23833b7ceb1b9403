import { Injectable } from '@nestjs/common';
import type { Actor, RequestOrigin } from '../../shared/policy/actor.js';
import type { Tx } from '../database/tx.js';
import { currentOrigin } from '../event-log/origin.js';
import { Urls } from '../http/response/urls.js';
import { Representations, type Snapshot, type WireObject } from '../versioning/representations.js';
import type { EventContext, EventScope, EventSender, ObjectOf, ResourceWith } from './event-map.js';
import { OutboxWriter } from './outbox.writer.js';

/** Maximum number of events held in memory. Usually they are written with the last statements of the transaction. */
const MAX_HELD = 250;

/** An object that was created or completed, or is about to be deleted, in the newest API version. */
export interface Occurrence<T> {
  readonly object: T;
  readonly scope: EventScope;
}

/** An object before and after a change, in the newest API version. */
export interface Change<T> {
  readonly before: T;
  readonly after: T;
  readonly scope: EventScope;
  /** What older versions show in addition, if the caller has read it. Otherwise recording the event reads it. */
  readonly extras?: WireObject;
}

type OneOrMany<T> = T | readonly T[];

interface Recorded {
  readonly before?: object;
  readonly after: object & { readonly id?: unknown; readonly key?: unknown };
  readonly scope: EventScope;
  readonly extras?: WireObject;
}

/**
 * Records events in the transaction of the change that they describe. They are delivered after its commit.
 *
 * Names and objects are checked against `EventMap`. Several objects are recorded in order. Up to a few hundred, they
 * take the same number of statements as one; beyond that they are written in batches, to bound memory. The database
 * itself reads very long parts of an object immediately, because they may change later.
 */
@Injectable()
export class Events {
  constructor(
    private readonly representations: Representations,
    private readonly writer: OutboxWriter,
  ) {}

  /** Records `create:<resource>`. @param actor null if unknown */
  created<R extends ResourceWith<'create'>>(
    tx: Tx,
    actor: Actor | null,
    resource: R,
    occurrences: OneOrMany<Occurrence<ObjectOf<'create', R>>>,
  ): Promise<void> {
    return this.record(tx, actor, 'create', resource, many(occurrences).map(recorded));
  }

  /** Records `update:<resource>`. */
  updated<R extends ResourceWith<'update'>>(
    tx: Tx,
    actor: Actor | null,
    resource: R,
    changes: OneOrMany<Change<ObjectOf<'update', R>>>,
  ): Promise<void> {
    return this.record(tx, actor, 'update', resource, many(changes));
  }

  /** Records `update:<resource>` for resources whose previous state is unknown. */
  updatedTo<R extends ResourceWith<'update'>>(
    tx: Tx,
    actor: Actor | null,
    resource: R,
    occurrences: OneOrMany<Occurrence<ObjectOf<'update', R>>>,
  ): Promise<void> {
    return this.record(tx, actor, 'update', resource, many(occurrences).map(recorded));
  }

  /** Records `delete:<resource>`. Call it before the rows are deleted. */
  deleted<R extends ResourceWith<'delete'>>(
    tx: Tx,
    actor: Actor | null,
    resource: R,
    occurrences: OneOrMany<Occurrence<ObjectOf<'delete', R>>>,
  ): Promise<void> {
    return this.record(tx, actor, 'delete', resource, many(occurrences).map(recorded));
  }

  /** Records `completed:<resource>`. */
  completed<R extends ResourceWith<'completed'>>(
    tx: Tx,
    actor: Actor | null,
    resource: R,
    occurrences: OneOrMany<Occurrence<ObjectOf<'completed', R>>>,
  ): Promise<void> {
    return this.record(tx, actor, 'completed', resource, many(occurrences).map(recorded));
  }

  private async record(
    tx: Tx,
    actor: Actor | null,
    operation: string,
    name: string,
    changes: readonly Recorded[],
  ): Promise<void> {
    const resource = name.replace(/\[.*$/, '');
    const origin = actor?.origin ?? currentOrigin();
    for (const batch of inBatches(changes)) {
      if (this.writer.held(tx).length >= MAX_HELD) {
        await this.writer.write(tx);
        await tx.settled(); // do not fill the memory with statements that wait for the database
      }
      const snapshots = await this.snapshots(tx, resource, batch);
      for (const [index, { before, after, scope }] of batch.entries()) {
        this.writer.add(tx, {
          name: `${operation}:${name}`,
          objectId: (after.id ?? after.key ?? '') as number | string,
          sender: actor === null ? null : senderOf(actor),
          organizationId: scope.organizationId,
          projectId: scope.projectId,
          after: snapshots[index] ?? { object: { ...after } },
          ...contextOf(origin, scope),
          ...(before === undefined ? {} : { before: { object: before as Readonly<Record<string, unknown>> } }),
        });
      }
      const select = this.representations.longExtras(resource);
      if (select !== undefined) await this.writer.write(tx, { resource, select });
    }
  }

  private async snapshots(tx: Tx, resource: string, batch: readonly Recorded[]): Promise<Snapshot[]> {
    const known = batch.flatMap(({ after, extras }) =>
      extras === undefined ? [] : [{ object: { ...after }, extras }],
    );
    if (known.length === batch.length) return known;
    const objects = batch.map(({ after }) => after);
    return this.representations.snapshots(tx, resource, objects);
  }
}

/** An event without a request is one of the command line. */
function contextOf(
  origin: RequestOrigin | null,
  { taskId = null, jobId = null }: EventScope,
): { context?: EventContext } {
  if (origin === null && taskId === null && jobId === null) return {};
  return { context: { origin, taskId, jobId } };
}

const many = <T>(values: OneOrMany<T>): readonly T[] =>
  Array.isArray(values) ? (values as readonly T[]) : [values as T];

const recorded = <T>({ object, scope }: Occurrence<T>): Recorded => ({ after: object as object, scope });

/** The sender of an event. The contract defines a different form for background work than for requests. */
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

/** Splits a long list into batches, so that the data loaded for one batch is freed before the next. */
export function* inBatches<T>(list: readonly T[], size = MAX_HELD): Generator<T[]> {
  for (let index = 0; index < list.length; index += size) yield list.slice(index, index + size);
}
