import { type DynamicModule, Global, Module } from '@nestjs/common';

/** All settings, typed and frozen. `readConfig` reads them once at start. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** URL under which clients reach the server, without a trailing slash. Empty: taken from each request. */
  readonly publicUrl: string;
  /** Empty: run the embedded PostgreSQL under `dataDir`. */
  readonly databaseUrl: string;
  readonly databasePoolSize: number;
  /** Timeout for opening a connection, in milliseconds. */
  readonly databaseConnectTimeoutMs: number;
  /** Milliseconds without a response after which the database counts as unavailable. */
  readonly databaseResponseTimeoutMs: number;
  readonly dataDir: string;
  readonly shareDir: string;
  /** Absolute paths of the extensions. */
  readonly extensions: readonly string[];
  /** Who can create an account: anyone, holders of an invitation link, or only the administrator. */
  readonly registration: 'open' | 'invited' | 'closed';
  /** Whether new users are asked to verify their e-mail address, and whether they must do so before logging in. */
  readonly emailVerification: 'none' | 'optional' | 'mandatory';
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
  };
  readonly annotations: {
    /** Number of days for which earlier revisions can be read and restored. */
    readonly historyDays: number;
  };
  /** Who can read `/metrics` in addition to administrators: programs on this machine, or anyone. */
  readonly metricsAccess: 'admin' | 'local' | 'all';
  /** Whether users can create URLs that record incoming requests. */
  readonly inspectEnabled: boolean;
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

/** Makes the frozen configuration injectable everywhere. */
@Global()
@Module({})
export class ConfigModule {
  static of(config: Config): DynamicModule {
    return { module: ConfigModule, providers: [{ provide: CONFIG, useValue: config }], exports: [CONFIG] };
  }
}
