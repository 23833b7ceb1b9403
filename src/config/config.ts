/** Everything that can be set from outside, typed and frozen. Read once at start by `readConfig`. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Address under which clients reach the server; empty: taken from each request. No trailing slash. */
  readonly publicUrl: string;
  /** Empty: run the embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: string;
  readonly databasePoolSize: number;
  /** Milliseconds to wait for a connection. */
  readonly databaseConnectTimeoutMs: number;
  /** Milliseconds after which a database that answers nothing counts as unavailable. */
  readonly databaseResponseTimeoutMs: number;
  readonly dataDir: string;
  readonly shareDir: string;
  /** Files of extensions, absolute. */
  readonly extensions: readonly string[];
  /** Who may make an account: everybody, those with the link of an invitation, or nobody but the administrator. */
  readonly registration: 'open' | 'invited' | 'closed';
  /** Whether new people are asked to confirm their e-mail address, and whether they must before they log in. */
  readonly emailVerification: 'none' | 'optional' | 'mandatory';
  readonly admin: { readonly username: string; readonly email: string; readonly password: string };
  /** Empty: a random key kept in `dataDir`. */
  readonly secretKey: string;
  readonly logLevel: string;
  /** Proxies (addresses, CIDRs, `loopback`) whose `X-Forwarded-*` headers are believed. */
  readonly trustProxy: string;
  readonly trustedOrigins: readonly string[];
  readonly cookieSecure: boolean;
  readonly cacheMaxBytes: number;
  /** Images are decoded and encoded in a process beside the server's own. */
  readonly imageProcess: boolean;
  /** Compressed chunks of videos are made before somebody asks for them. */
  readonly videoAhead: boolean;
  /** Program that reads videos: a path, or a name to look up in `PATH`. */
  readonly ffmpegPath: string;
  readonly limits: {
    readonly jsonBytes: number;
    readonly annotationBytes: number;
    readonly uploadBytes: number;
    readonly imagePixels: number;
    readonly archiveEntries: number;
    readonly archiveBytes: number;
    readonly loginFailures: number;
    readonly anonymousPerMinute: number;
  };
  readonly mail: {
    /** Mail server; empty: letters are written to the log. */
    readonly host: string;
    readonly port: number;
    /** TLS from the first byte; else as soon as the server offers it. */
    readonly secure: boolean;
    readonly user: string;
    readonly password: string;
    /** Sender of all letters. */
    readonly from: string;
  };
  /** What the server fetches for its users: files by address, cloud storages. */
  readonly remote: {
    readonly allow: readonly string[];
    readonly allowPrivate: boolean;
    /** To connect, to the first byte of an answer, and between two pieces of it. */
    readonly timeoutMs: number;
    /** For one file. */
    readonly fileMs: number;
  };
  readonly annotations: {
    /** Earlier states can be read and restored for so many days. */
    readonly historyDays: number;
  };
  /** Who may read `/metrics` beside administrators: programs on this machine, or everybody. */
  readonly metricsAccess: 'admin' | 'local' | 'all';
  /** Whether people may make addresses that keep what arrives. */
  readonly inspectEnabled: boolean;
  /** Open streams of events in one process. */
  readonly eventStreams: { readonly perUser: number; readonly total: number };
  readonly webhooks: {
    readonly allow: readonly string[];
    readonly allowPrivate: boolean;
    readonly defaultApiVersion: '2.0' | '2.1' | '2.2';
    readonly connectTimeoutMs: number;
    /** To the first byte of the answer, and between two pieces of it. */
    readonly timeoutMs: number;
    /** Deliveries being sent at a time in one process. */
    readonly concurrency: number;
    /** A dead worker's deliveries are sent by others so long after the longest time a try can take. */
    readonly leaseMarginMs: number;
    /** Of an answer's body in the log of attempts, in characters. */
    readonly logBytes: number;
    /** Connections to one webhook. */
    readonly endpointConcurrency: number;
    /** Deliveries and relayed events are forgotten after so many days. */
    readonly retentionDays: number;
    /** Of the deliveries with their attempts, in bytes; 0: no limit. The oldest finished ones go first. */
    readonly logMaxBytes: number;
    /** A webhook of which nothing was delivered for so long is switched off; 0: never. */
    readonly switchOffDays: number;
    /** Delays before each attempt, in seconds; the first is 0. */
    readonly retrySchedule: readonly number[];
  };
}

/** Injection token of the frozen `Config`. */
export const CONFIG = Symbol('Config');

const ANY_ADDRESS: readonly string[] = ['0.0.0.0', '::'];

/**
 * Scheme, host and port of the server as the settings alone tell them, without a trailing slash: `PUBLIC_URL`, else the
 * address that it listens on. Null where that is every address of the machine, or a port that is not known yet.
 */
export function configuredUrl({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string | null {
  if (publicUrl !== '') return publicUrl;
  if (ANY_ADDRESS.includes(host) || port === 0) return null;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
