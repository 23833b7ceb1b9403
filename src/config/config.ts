import type { EventSinkTarget } from './event-sink-url.js';

export type { EventSinkTarget } from './event-sink-url.js';
import type { GroupRule } from './group-mapping.js';

/** All settings, typed and frozen. `readConfig` reads them once at start. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Number of processes that serve requests. */
  readonly processes: number;
  /** A server or worker that stands still for longer is restarted; 0: never. */
  readonly freezeMs: number;
  /** Processes that execute background requests, and the limits of each request. */
  readonly requests: {
    /** How many of them run at a time; 0: requests are executed in the process of the worker, without limits. */
    readonly processes: number;
    readonly memoryBytes: number;
    readonly timeMs: number;
    /** How long a request may stand still in one step. */
    readonly freezeMs: number;
  };
  /** URL under which clients reach the server, without a trailing slash. Empty: taken from each request. */
  readonly publicUrl: string;
  /** Empty: run the embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: string;
  /** PostgreSQL itself if `databaseUrl` leads to a connection pooler; empty: `databaseUrl`. */
  readonly databaseDirectUrl: string;
  /** Whether statements stay prepared on a connection; undefined: found out at the start. */
  readonly databasePrepared: boolean | undefined;
  readonly databasePoolSize: number;
  /** Timeout for opening a connection, in milliseconds. */
  readonly databaseConnectTimeoutMs: number;
  /** Milliseconds without a response after which the database counts as unavailable. */
  readonly databaseResponseTimeoutMs: number;
  readonly dataDir: string;
  readonly shareDir: string;
  /** The storage of media and other files. */
  readonly media: {
    /** `s3://bucket/prefix`; empty: `dataDir`. Only a new database takes it from here; others record it. */
    readonly url: string;
    /** URL of a server other than Amazon's; empty: none. */
    readonly endpoint: string;
    readonly region: string;
    /** Empty: the default credentials of the AWS SDK. */
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    /** Whether the bucket is in the path of URLs. */
    readonly pathStyle: boolean;
    /** Timeout without any progress. */
    readonly timeoutMs: number;
    /** Whether clients are sent to the bucket for chunks. */
    readonly redirect: boolean;
  };
  /** Absolute paths of the extensions. */
  readonly extensions: readonly string[];
  /** Who can create an account: anyone, holders of an invitation link, or only the administrator. */
  readonly registration: 'open' | 'invited' | 'closed';
  /** Whether new users are asked to verify their e-mail address, and whether they must do so before logging in. */
  readonly emailVerification: 'none' | 'optional' | 'mandatory';
  /** Whether users can log in with a password that is stored here. */
  readonly localPasswords: boolean;
  /** Log-in at an identity provider (OpenID Connect). */
  readonly signOn: {
    /** URL of the provider, from which its settings are discovered; empty: none. */
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string;
    /** What the provider is asked for, separated by spaces. */
    readonly scopes: string;
    /** Name of the provider on the login page. */
    readonly name: string;
    /** The claim with the groups of a person. */
    readonly groupsClaim: string;
    readonly groupRules: readonly GroupRule[];
    /** Whether people without an account get one at their first login. */
    readonly createAccounts: boolean;
    /** Whether addresses count as verified if the provider says nothing about that. */
    readonly trustEmail: boolean;
  };
  /** Log-in with the passwords of an LDAP directory. */
  readonly ldap: {
    /** Servers with the same content, tried in order; none: there is no directory. */
    readonly urls: readonly string[];
    readonly startTls: boolean;
    /** The path of a file in PEM format; empty: the certificate authorities that Node.js knows. */
    readonly ca: string;
    /** Who searches; empty: anonymous. */
    readonly bindDn: string;
    readonly bindPassword: string;
    readonly userBase: string;
    /** The names of groups in `groupRules`: each the `cn` of a group, or a distinguished name. */
    readonly groupNames: readonly string[];
    /** `{username}` stands for what the user entered. */
    readonly userFilter: string;
    readonly attributes: Readonly<Record<'id' | 'username' | 'email' | 'firstName' | 'lastName', string>>;
    /** Empty: groups are not read. */
    readonly groupBase: string;
    /** `{dn}` and `{username}` stand for the user who was found. */
    readonly groupFilter: string;
    readonly groupRules: readonly GroupRule[];
    /** Whether people without an account get one at their first login. */
    readonly createAccounts: boolean;
    /** Whether addresses in the directory count as verified. */
    readonly trustEmail: boolean;
  };
  readonly admin: { readonly username: string; readonly email: string; readonly password: string };
  /** Empty: a random key stored in `dataDir`. */
  readonly secretKey: string;
  readonly logLevel: string;
  /** Proxies (addresses, CIDRs, `loopback`) whose `X-Forwarded-*` headers are trusted. */
  readonly trustProxy: string;
  readonly trustedOrigins: readonly string[];
  readonly cookieSecure: boolean;
  readonly cacheMaxBytes: number;
  /** Whether images are decoded and encoded in a separate process. */
  readonly imageProcess: boolean;
  /** Whether compressed video chunks are created before they are requested. */
  readonly videoAhead: boolean;
  /** The program that reads videos: a path, or a name to look up in `PATH`. */
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
    /** Mail server; empty: links in e-mails are written to the log. */
    readonly host: string;
    readonly port: number;
    /** Whether to use TLS from the first byte; otherwise as soon as the server offers it. */
    readonly secure: boolean;
    readonly user: string;
    readonly password: string;
    /** Sender of all e-mails. */
    readonly from: string;
  };
  /** Limits for what the server fetches on behalf of users: files by URL, cloud storages. */
  readonly remote: {
    readonly allow: readonly string[];
    readonly allowPrivate: boolean;
    /** Timeout for connecting, for the first byte of a response, and between two chunks of it. */
    readonly timeoutMs: number;
    /** Timeout for one file. */
    readonly fileMs: number;
    /** Server of Google Cloud Storage. */
    readonly googleEndpoint: string;
  };
  /** Functions for automatic annotation that the server calls over HTTP. */
  readonly functions: {
    /** Each describes one or more functions in response to a GET request. */
    readonly urls: readonly string[];
    /** The dashboard of Nuclio; empty: none. */
    readonly nuclioUrl: string;
    readonly nuclioNamespace: string;
    /** Whether the dashboard passes calls on, or functions are called at their own ports. */
    readonly nuclioInvoke: 'dashboard' | 'direct';
    /** Timeout for one call. */
    readonly timeoutMs: number;
    /** Maximum size of a response. */
    readonly responseBytes: number;
  };
  readonly events: {
    /** Number of days for which the event log and the audit log are kept; 0: for ever. */
    readonly retentionDays: number;
    /** Timeout for a transaction of a listener. */
    readonly listenerTimeoutMs: number;
  };
  /** The message broker that gets all events of the server. */
  readonly eventSink: {
    /** Null: none. */
    readonly target: EventSinkTarget | null;
    /** Number of days for which events wait for the broker. */
    readonly retentionDays: number;
    /** Longer messages contain only the id and the URL of their object, in bytes. */
    readonly maxBytes: number;
  };
  readonly annotations: {
    /** Number of days for which earlier revisions can be read and restored. */
    readonly historyDays: number;
  };
  /** Who can read `/metrics` in addition to administrators: programs on this machine, or anyone. */
  readonly metricsAccess: 'admin' | 'local' | 'all';
  /** Port for probes and metrics; null: none. */
  readonly monitoringPort: number | null;
  /** Where traces are sent; null: nowhere. */
  readonly tracing: {
    /** The collector's URL for traces. */
    readonly url: string;
    readonly protocol: 'http/protobuf' | 'http/json';
    readonly serviceName: string;
  } | null;
  /** Whether users can create URLs that record incoming requests. */
  readonly inspectEnabled: boolean;
  /** Programs that execute functions. */
  readonly agents: {
    /** Another agent gets a request if the one that holds it has shown no sign of life for this time. */
    readonly leaseMs: number;
    /** Maximum number of open streams of one user per process. */
    readonly streamsPerUser: number;
  };
  /** Maximum number of open event streams per process. */
  readonly eventStreams: { readonly perUser: number; readonly total: number };
  readonly webhooks: {
    readonly allow: readonly string[];
    readonly allowPrivate: boolean;
    readonly defaultApiVersion: '2.0' | '2.1' | '2.2';
    readonly connectTimeoutMs: number;
    /** Timeout for the first byte of the response, and between two chunks of it. */
    readonly timeoutMs: number;
    /** Maximum number of deliveries sent concurrently by one process. */
    readonly concurrency: number;
    /** How long after the longest possible attempt a dead worker's deliveries are sent by others. */
    readonly leaseMarginMs: number;
    /** Maximum length of a response body in the log of attempts, in characters. */
    readonly logBytes: number;
    /** Maximum number of connections to one webhook. */
    readonly endpointConcurrency: number;
    /** Number of days after which deliveries and relayed events are deleted. */
    readonly retentionDays: number;
    /**
     * Maximum size of all deliveries with their attempts, in bytes; 0: unlimited. The oldest finished ones are deleted
     * first.
     */
    readonly logMaxBytes: number;
    /** Number of days without a successful delivery after which a webhook is disabled; 0: never. */
    readonly switchOffDays: number;
    /** Delays before each attempt, in seconds; the first is 0. */
    readonly retrySchedule: readonly number[];
  };
}

/** The server of Google Cloud Storage, unless the operator has chosen another one. */
export const GOOGLE_STORAGE = 'https://storage.googleapis.com';

/** Injection token of the frozen `Config`. */
export const CONFIG = Symbol('Config');

const ANY_ADDRESS: readonly string[] = ['0.0.0.0', '::'];

/**
 * Scheme, host and port of the server according to the settings, without a trailing slash: `PUBLIC_URL`, else the
 * address it listens on. Null if that is every address of the machine, or a port that is not known yet.
 */
export function configuredUrl({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string | null {
  if (publicUrl !== '') return publicUrl;
  if (ANY_ADDRESS.includes(host) || port === 0) return null;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The URL for what PostgreSQL ties to a session, which no pooler passes on: LISTEN, session locks, migrations. */
export const directUrl = ({
  databaseUrl,
  databaseDirectUrl,
}: Pick<Config, 'databaseUrl' | 'databaseDirectUrl'>): string => databaseDirectUrl || databaseUrl;
