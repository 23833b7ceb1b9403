import { Injectable } from '@nestjs/common';
import type { Queryable } from '../database/db.js';
import { Discovery, methodHook } from '../discovery/discovery.js';
import type { Snapshot } from '../events/event-map.js';
import type { ApiVersion } from './accept.js';
import type { Sql } from '../../engines/sql/sql.js';

export type WireObject = Readonly<Record<string, unknown>>;

/** An older form in which one member of the newest has its value from the extras; an empty list where these have none. */
export interface Embedded {
  readonly embedded: string;
}

export type OlderForm = Embedded | ((object: WireObject, extras: WireObject) => WireObject);

/** Whether older forms of a version show extras. The others are made of the newest form alone. */
export const showsExtras = (version: ApiVersion): boolean => version === '2.0';

/** How a resource looks in older API versions. Handlers produce the newest form and never ask which version is spoken. */
export interface Representation {
  /** Key of the resource in payloads: `task`, `project`, … */
  readonly resource: string;
  /**
   * What version 2.0 shows beyond the newest form, for many objects in a fixed number of statements; in the order of
   * `objects`.
   */
  readonly extras?: (db: Queryable, objects: readonly WireObject[]) => Promise<WireObject[]>;
  /**
   * Further extras that may be very long: a selection of `object_id` (text) and `extras` (a JSON object). For events the
   * database puts them where it keeps them, and they are read by those alone who speak such a version.
   */
  readonly longExtras?: (objects: readonly WireObject[]) => Sql;
  /** The older forms. A version that is not named here has the newest form. Pure. */
  readonly older: Partial<Readonly<Record<ApiVersion, OlderForm>>>;
}

/** The method returns how resources of its module look in older API versions. */
export const Represents = methodHook<void, () => Representation | readonly Representation[]>();

/** All representations. */
@Injectable()
export class Representations {
  private read: ReadonlyMap<string, Representation> | undefined;

  constructor(private readonly discovery: Discovery) {}

  /** How the version differs from the newest; undefined: not at all. */
  olderForm(resource: string, version: ApiVersion): OlderForm | undefined {
    return this.known.get(resource)?.older[version];
  }

  /** One object in the given version. For stored snapshots, which carry their extras. */
  render(resource: string, version: ApiVersion, snapshot: Snapshot): WireObject {
    const { object, extras = {} } = snapshot;
    const older = this.olderForm(resource, version);
    if (older === undefined) return object;
    return typeof older === 'function'
      ? older(object, extras)
      : { ...object, [older.embedded]: extras[older.embedded] ?? [] };
  }

  /** Objects for an answer in the given version. */
  async renderAll(
    resource: string,
    version: ApiVersion,
    objects: readonly WireObject[],
    db: Queryable,
  ): Promise<WireObject[]> {
    if (this.olderForm(resource, version) === undefined) return [...objects];
    if (!showsExtras(version)) return objects.map((object) => this.render(resource, version, { object }));
    const snapshots = await this.snapshots(db, resource, objects);
    const long = await this.loadLong(db, resource, objects);
    return snapshots.map(({ object, extras }) =>
      this.render(resource, version, { object, extras: { ...extras, ...long.get(String(object['id'])) } }),
    );
  }

  /** What is very long of the events of a resource, if it has such. */
  longExtras(resource: string): Representation['longExtras'] {
    return this.known.get(resource)?.longExtras;
  }

  /** Objects with everything that any version may show but what is very long, for events. */
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
