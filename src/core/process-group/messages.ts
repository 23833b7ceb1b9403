/** What a member tells the supervisor when it has started. */
export interface Ready {
  /** URL of the app; null for a process that serves no requests. */
  readonly url: string | null;
  /** The administrator account that this start created. Its password is null if it is configured. */
  readonly administrator: { readonly username: string; readonly password: string | null } | null;
}

/** Where a member finds the database. */
export interface MemberDatabase {
  /** Of the embedded database; null: as in the settings. */
  readonly embeddedUrl: string | null;
  /**
   * Whether this member does what a group does once at its start, such as the migration. A member that is restarted does
   * not: a newer version may have migrated the database in the meantime, which does not prevent this one from running.
   */
  readonly isFirst: boolean;
}

/** A sign of life, once a second. */
export interface Pulse {
  /** Resident memory in bytes. */
  readonly memory: number;
  /** Whether work goes on that nobody waits for. The process should not be ended yet. */
  readonly lingers: boolean;
}

/** A claimed request that a request process executes. */
export interface Assignment {
  readonly rowId: number;
  /** The holder of its lease. */
  readonly worker: string;
  /** Its id in the API, for the log. */
  readonly name: string;
}

/** Why a request process ended before its request did. */
export type EndCause =
  /** It exceeded a limit. */
  | 'memory'
  | 'time'
  | 'frozen'
  /** It did not react to an order to stop. */
  | 'cancelled'
  | 'stopping'
  /** It was killed by another program, probably the system's, because memory ran out. */
  | 'killed'
  | 'crashed';

export type Outcome =
  /** `isRecorded`: the outcome of the request is in the database. */
  | { readonly kind: 'done'; readonly isRecorded: boolean }
  | { readonly kind: 'ended'; readonly cause: EndCause }
  | { readonly kind: 'not started' };

/** Orders the request process that executes a request to stop it. */
export interface AbortOrder {
  readonly rowId: number;
  /** `orphaned`: the process that claimed it has ended. */
  readonly reason: 'cancelled' | 'stopping' | 'orphaned';
}
