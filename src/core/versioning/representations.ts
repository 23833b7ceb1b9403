import { Injectable } from '@nestjs/common';
import type { Queryable } from '../database/db.js';
import { Discovery, methodHook } from '../discovery/discovery.js';
import type { ApiVersion } from './accept.js';
import type { Sql } from '../../engines/sql/sql.js';

export type WireObject = Readonly<Record<string, unknown>>;

/** A wire object in the newest API version, plus what older versions need. */
export interface Snapshot<T extends object = Readonly<Record<string, unknown>>> {
  readonly object: T;
  /** Parts that only older API versions show, such as embedded labels. */
  readonly extras?: Readonly<Record<string, unknown>>;
}

/** An older form in which one member comes from the extras instead; an empty list if the extras do not have it. */
export interface Embedded {
  readonly embedded: string;
}

export type OlderRepresentation = Embedded | ((object: WireObject, extras: WireObject) => WireObject);

/** Whether older forms of a version show extras. The other forms are derived from the newest form alone. */
export const showsExtras = (version: ApiVersion): boolean => version === '2.0';

/** Whether the updates of a version name columns and list what they changed. */
export const listsChanges = (version: ApiVersion): boolean => version !== '2.0';

/**
 * How a resource looks in older API versions. Handlers return the newest form and do not depend on the requested
 * version.
 */
export interface Representation {
  /** Key of the resource in payloads: `task`, `project`, … */
  readonly resource: string;
  /**
   * What version 2.0 shows in addition to the newest form, for many objects in a fixed number of statements, in the
   * order of `objects`.
   */
  readonly extras?: (db: Queryable, objects: readonly WireObject[]) => Promise<WireObject[]>;
  /**
   * Additional extras that may be very long: a selection of `object_id` (text) and `extras` (a JSON object). For
   * events, the database copies them itself, and only readers of such a version read them.
   */
  readonly longExtras?: (objects: readonly WireObject[]) => Sql;
  /** The older forms, as pure functions. Versions without an entry have the newest form. */
  readonly older: Partial<Readonly<Record<ApiVersion, OlderRepresentation>>>;
}

/** The method returns the older forms of its module's resources. */
export const Represents = methodHook<void, () => Representation | readonly Representation[]>();

/** All representations. */
@Injectable()
export class Representations {
  private read: ReadonlyMap<string, Representation> | undefined;

  constructor(private readonly discovery: Discovery) {}

  /** How the version differs from the newest; undefined if it does not. */
  olderRepresentation(resource: string, version: ApiVersion): OlderRepresentation | undefined {
    return this.known.get(resource)?.older[version];
  }

  /** Renders one object in the given version. For stored snapshots, which include their extras. */
  render(resource: string, version: ApiVersion, snapshot: Snapshot): WireObject {
    const { object, extras = {} } = snapshot;
    const older = this.olderRepresentation(resource, version);
    if (older === undefined) return object;
    return typeof older === 'function'
      ? older(object, extras)
      : { ...object, [older.embedded]: extras[older.embedded] ?? [] };
  }

  /** Renders objects for a response in the given version. */
  async renderAll(
    resource: string,
    version: ApiVersion,
    objects: readonly WireObject[],
    db: Queryable,
  ): Promise<WireObject[]> {
    if (this.olderRepresentation(resource, version) === undefined) return [...objects];
    if (!showsExtras(version)) return objects.map((object) => this.render(resource, version, { object }));
    const snapshots = await this.snapshots(db, resource, objects);
    const long = await this.loadLong(db, resource, objects);
    return snapshots.map(({ object, extras }) =>
      this.render(resource, version, { object, extras: { ...extras, ...long.get(String(object['id'])) } }),
    );
  }

  /** The very long extras of a resource's events, if it has any. */
  longExtras(resource: string): Representation['longExtras'] {
    return this.known.get(resource)?.longExtras;
  }

  /** Objects with everything that any version may show, except very long extras. For events. */
  async snapshots(db: Queryable, resource: string, objects: readonly object[]): Promise<Snapshot[]> {
    const wire = objects as readonly WireObject[];
    const load = this.known.get(resource)?.extras;
    if (load === undefined || wire.length === 0) return wire.map((object) => ({ object }));
    const extras = await load(db, wire);
    return wire.map((object, index) => ({ object, extras: extras[index] ?? {} }));
  }

  private get known(): ReadonlyMap<string, Representation> {
    this.read ??= new Map(
      this.discovery
        .methods(Represents)
        .flatMap(({ found }) => found())
        .map((representation) => [representation.resource, representation]),
    );
    return this.read;
  }

  private async loadLong(
    db: Queryable,
    resource: string,
    objects: readonly WireObject[],
  ): Promise<ReadonlyMap<string, WireObject>> {
    const select = this.longExtras(resource);
    if (select === undefined || objects.length === 0) return new Map();
    const rows = await db.query<{ object_id: string; extras: WireObject }>(select(objects));
    return new Map(rows.map((row) => [row.object_id, row.extras]));
  }
}
