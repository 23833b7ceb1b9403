import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { Config } from './config.js';

/** Lists every invalid environment variable, one sentence each. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`Invalid settings: ${problems.join(' ')}`);
    this.name = 'ConfigError';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

const SIZE_UNITS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** Reads variables one by one and collects the errors, so that all are reported at once. */
class Reader {
  readonly problems: string[] = [];

  constructor(private readonly env: Environment) {}

  text(name: string, fallback: string): string {
    return this.env[name]?.trim() || fallback;
  }

  integer(name: string, fallback: number, min: number, max: number): number {
    const text = this.text(name, String(fallback));
    const value = Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    this.problems.push(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
    return fallback;
  }

  bytes(name: string, fallback: string): number {
    const text = this.text(name, fallback);
    const match = /^(\d+)\s*([kmgt]?)(?:i?b)?$/i.exec(text);
    if (match) return Number(match[1]) * (SIZE_UNITS[(match[2] ?? '').toLowerCase()] ?? 1);
    this.problems.push(`${name} must be a size such as 500M or 10G, not "${text}".`);
    return 0;
  }

  boolean(name: string, fallback: boolean): boolean {
    const text = this.text(name, String(fallback)).toLowerCase();
    if (['true', '1', 'yes', 'on'].includes(text)) return true;
    if (['false', '0', 'no', 'off'].includes(text)) return false;
    this.problems.push(`${name} must be true or false, not "${text}".`);
    return fallback;
  }

  choice<T extends string>(name: string, fallback: T, choices: readonly T[]): T {
    const text = this.text(name, fallback);
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    this.problems.push(`${name} must be one of ${choices.join(', ')}, not "${text}".`);
    return fallback;
  }

  /** A text of a custom form. @param what description of the form, following "must be" */
  formed(name: string, fallback: string, form: (text: string) => boolean, what: string): string {
    const text = this.text(name, fallback);
    if (!form(text)) this.problems.push(`${name} must be ${what}, not "${text}".`);
    return text;
  }

  list(name: string): string[] {
    return listed(this.text(name, ''));
  }

  listOf(name: string, form: (item: string) => boolean, what: string): string[] {
    const items = this.list(name);
    const wrong = items.find((item) => !form(item));
    if (wrong !== undefined) this.problems.push(`${name} must be a list of ${what}; "${wrong}" is not valid.`);
    return items;
  }

  url(name: string, protocols: readonly string[]): string {
    const text = this.text(name, '').replace(/\/+$/, '');
    if (text === '') return '';
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
    this.problems.push(`${name} must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}.`);
    return '';
  }

  seconds(name: string, fallback: readonly number[]): readonly number[] {
    const items = this.list(name);
    const values = items.map(Number);
    if (items.length === 0) return fallback;
    if (values.every((value) => Number.isFinite(value) && value >= 0) && values.length <= 50) return values;
    this.problems.push(`${name} must be a comma-separated list of at most 50 delays in seconds.`);
    return fallback;
  }
}

const listed = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

/**
 * The schedule that Standard Webhooks recommends: immediately, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.
 */
const RETRY_SCHEDULE = [0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400];

/**
 * Converts environment variables to the typed configuration.
 *
 * @throws ConfigError that names every invalid variable
 */
export function readConfig(env: Environment): Config {
  const read = new Reader(env);
  const config: Config = {
    host: read.text('HOST', '127.0.0.1'),
    port: read.integer('PORT', 8080, 0, 65535),
    publicUrl: read.url('PUBLIC_URL', ['http:', 'https:']),
    databaseUrl: read.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    databasePoolSize: read.integer('DATABASE_POOL_SIZE', 10, 2, 500),
    databaseConnectTimeoutMs: read.integer('DATABASE_CONNECT_TIMEOUT_MS', 10_000, 100, 600_000),
    databaseResponseTimeoutMs: read.integer('DATABASE_RESPONSE_TIMEOUT_MS', 5_000, 100, 600_000),
    dataDir: resolve(read.text('DATA_DIR', './data')),
    extensions: read.list('CAIRN_EXTENSIONS').map((path) => resolve(path)),
    shareDir: read.text('SHARE_DIR', '') && resolve(read.text('SHARE_DIR', '')),
    registration: read.choice('REGISTRATION', 'open', ['open', 'invited', 'closed']),
    emailVerification: read.choice('EMAIL_VERIFICATION', 'none', ['none', 'optional', 'mandatory']),
    admin: {
      username: read.formed('ADMIN_USERNAME', 'admin', isUsername, 'at most 150 letters, digits and @/./+/-/_'),
      email: read.formed('ADMIN_EMAIL', 'admin@localhost.localdomain', isEmailAddress, 'an e-mail address'),
      password: read.text('ADMIN_PASSWORD', ''),
    },
    secretKey: read.text('SECRET_KEY', ''),
    logLevel: read.choice('LOG_LEVEL', 'info', ['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    trustProxy: read.formed(
      'TRUST_PROXY',
      'loopback',
      (text) => listed(text).every(isProxy),
      'a list of addresses, ranges, loopback, linklocal or uniquelocal',
    ),
    trustedOrigins: read.listOf(
      'TRUSTED_ORIGINS',
      isOriginPattern,
      'origins such as https://tools.example.org or https://*.example.org',
    ),
    cookieSecure: read.boolean('COOKIE_SECURE', false),
    cacheMaxBytes: read.bytes('CACHE_MAX_BYTES', '10G'),
    imageProcess: read.boolean('IMAGE_PROCESS', true),
    videoAhead: read.boolean('VIDEO_CHUNKS_AHEAD', true),
    ffmpegPath: read.text('FFMPEG_PATH', 'ffmpeg'),
    limits: {
      jsonBytes: read.bytes('MAX_JSON_BYTES', '10M'),
      annotationBytes: read.bytes('MAX_ANNOTATION_BYTES', '50M'),
      uploadBytes: read.bytes('MAX_UPLOAD_BYTES', '26843545600'),
      imagePixels: read.integer('MAX_IMAGE_PIXELS', 250_000_000, 1, 2 ** 40),
      archiveEntries: read.integer('MAX_ARCHIVE_ENTRIES', 200_000, 1, 10_000_000),
      archiveBytes: read.bytes('MAX_ARCHIVE_BYTES', '100G'),
      loginFailures: read.integer('MAX_LOGIN_FAILURES', 10, 1, 1000),
      anonymousPerMinute: read.integer('ANONYMOUS_PER_MINUTE', 100, 1, 1_000_000),
    },
    mail: {
      host: read.text('SMTP_HOST', ''),
      port: read.integer('SMTP_PORT', 587, 1, 65535),
      secure: read.boolean('SMTP_SECURE', false),
      user: read.text('SMTP_USER', ''),
      password: read.text('SMTP_PASSWORD', ''),
      from: read.text('MAIL_FROM', ''),
    },
    remote: {
      allow: read.list('REMOTE_ALLOW'),
      allowPrivate: read.boolean('REMOTE_ALLOW_PRIVATE', false),
      timeoutMs: read.integer('REMOTE_TIMEOUT_MS', 20_000, 10, 600_000),
      fileMs: read.integer('REMOTE_FILE_MS', 3_600_000, 10, 86_400_000),
    },
    annotations: {
      historyDays: read.integer('ANNOTATION_HISTORY_DAYS', 30, 1, 36_500),
    },
    metricsAccess: read.choice('METRICS_ACCESS', 'local', ['admin', 'local', 'all']),
    inspectEnabled: read.boolean('INSPECT_ENABLED', false),
    eventStreams: {
      perUser: read.integer('EVENT_STREAMS_PER_USER', 10, 1, 1000),
      total: read.integer('EVENT_STREAMS', 1000, 1, 100_000),
    },
    webhooks: {
      allow: read.list('WEBHOOK_ALLOW'),
      allowPrivate: read.boolean('WEBHOOK_ALLOW_PRIVATE', false),
      defaultApiVersion: read.choice('WEBHOOK_DEFAULT_API_VERSION', '2.0', ['2.0', '2.1', '2.2']),
      connectTimeoutMs: read.integer('WEBHOOK_CONNECT_TIMEOUT_MS', 5_000, 10, 600_000),
      timeoutMs: read.integer('WEBHOOK_TIMEOUT_MS', 15_000, 10, 600_000),
      leaseMarginMs: read.integer('WEBHOOK_LEASE_MARGIN_MS', 60_000, 100, 3_600_000),
      concurrency: read.integer('WEBHOOK_CONCURRENCY', 512, 1, 10_000),
      endpointConcurrency: read.integer('WEBHOOK_ENDPOINT_CONCURRENCY', 64, 1, 1000),
      logBytes: read.integer('WEBHOOK_LOG_BYTES', 4096, 0, 1_048_576),
      retentionDays: read.integer('WEBHOOK_RETENTION_DAYS', 30, 1, 36_500),
      logMaxBytes: read.bytes('WEBHOOK_LOG_MAX_BYTES', '10G'),
      switchOffDays: read.integer('WEBHOOK_SWITCH_OFF_DAYS', 5, 0, 365),
      retrySchedule: read.seconds('WEBHOOK_RETRY_SCHEDULE', RETRY_SCHEDULE),
    },
  };
  if (config.secretKey !== '' && config.secretKey.length < 16) {
    read.problems.push('SECRET_KEY must have at least 16 characters.');
  }
  if (config.mail.host !== '' && !isEmailAddress(config.mail.from)) {
    read.problems.push('MAIL_FROM must be the e-mail address of the sender when SMTP_HOST is set.');
  }
  if ((config.mail.user === '') !== (config.mail.password === '')) {
    read.problems.push('SMTP_USER and SMTP_PASSWORD must be set together.');
  }
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  return deepFreeze(config);
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}

const NAMED_PROXIES = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** `loopback`, an address, or a range like `10.0.0.0/8` or `10.0.0.0/255.0.0.0`. */
function isProxy(text: string): boolean {
  if (NAMED_PROXIES.has(text)) return true;
  const [address = '', range, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (range === undefined) return true;
  if (/^\d+$/.test(range)) return Number(range) <= (family === 4 ? 32 : 128);
  return family === 4 && isIP(range) === 4;
}

/** `https://tools.example.org:8443`, or `https://*.example.org` for every host below it. */
function isOriginPattern(text: string): boolean {
  const origin = text.replace('://*.', '://');
  return /^https?:\/\/[^/?#@*]+\/?$/i.test(origin) && URL.canParse(origin);
}

/** An address alone, or after a display name: `Cairn <cairn@example.org>`. */
const isEmailAddress = (text: string): boolean => /[^\s@<>]@[^\s@<>]/.test(text);

/** The rule of the API for user names. */
const isUsername = (text: string): boolean => /^[\p{L}\p{N}_.@+-]{1,150}$/u.test(text);
