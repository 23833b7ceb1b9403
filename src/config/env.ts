import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type Config, type EventSinkTarget, GOOGLE_STORAGE } from './config.js';
import { DatabaseUrlError, parseDatabaseUrl } from './database-url.js';
import { parseEventSink } from './event-sink-url.js';
import { parseGroupRules } from './group-mapping.js';
import { machineMemory } from './machine-memory.js';

/** Lists every invalid environment variable, one sentence each. */
export class ConfigError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`Invalid settings: ${problems.join(' ')}`);
    this.name = 'ConfigError';
  }
}

export const MAX_PROCESSES = 256;

/** `auto` is one process for each core. @returns undefined for an invalid number of processes */
export function readProcesses(text: string): number | undefined {
  if (text === 'auto') return availableParallelism();
  return /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_PROCESSES ? Number(text) : undefined;
}

/** The part of the memory for background requests. The rest is for the server, images and the database. */
const SHARE_OF_REQUESTS = 0.6;
/** Of a background request by default, in bytes. */
const LEAST_REQUEST_MEMORY = 2 ** 29;
const MOST_REQUEST_MEMORY = 4 * 2 ** 30;

type Environment = Readonly<Record<string, string | undefined>>;

const SIZE_UNITS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** @returns null for another form than `900K` or `10 GiB` */
function bytesOf(text: string): number | null {
  const match = /^(\d+)\s*([kmgt]?)(?:i?b)?$/i.exec(text);
  return match && Number(match[1]) * (SIZE_UNITS[(match[2] ?? '').toLowerCase()] ?? 1);
}

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
    const bytes = bytesOf(text);
    if (bytes === null) this.problems.push(`${name} must be a size such as 500M or 10G, not "${text}".`);
    return bytes ?? 0;
  }

  bytesBetween(name: string, fallback: string, min: string, max: string): number {
    const text = this.text(name, fallback);
    const bytes = bytesOf(text);
    if (bytes !== null && bytes >= (bytesOf(min) ?? 0) && bytes <= (bytesOf(max) ?? 0)) return bytes;
    this.problems.push(`${name} must be a size from ${min} to ${max}, not "${text}".`);
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

  /** By default, a fair part of the machine's memory, within bounds. @param requests how many there are at a time */
  requestMemory(name: string, requests: number): number {
    if (this.text(name, '') !== '') return this.bytesBetween(name, '', '300M', '1T');
    const fair = (machineMemory() * SHARE_OF_REQUESTS) / Math.max(1, requests);
    return Math.min(Math.max(fair, LEAST_REQUEST_MEMORY), MOST_REQUEST_MEMORY);
  }

  processes(name: string): number {
    const text = this.text(name, '1');
    const count = readProcesses(text);
    if (count === undefined)
      this.problems.push(`${name} must be auto or a whole number from 1 to ${MAX_PROCESSES}, not "${text}".`);
    return count ?? 1;
  }

  /** A text of a custom form. @param what description of the form, following "must be" */
  formed(name: string, fallback: string, form: (text: string) => boolean, what: string): string {
    const text = this.text(name, fallback);
    if (!form(text)) this.problems.push(`${name} must be ${what}, not "${withoutLogin(text)}".`);
    return text;
  }

  list(name: string): string[] {
    return listed(this.text(name, ''));
  }

  listOf(name: string, form: (item: string) => boolean, what: string): string[] {
    const items = this.list(name);
    const wrong = items.find((item) => !form(item));
    if (wrong !== undefined)
      this.problems.push(`${name} must be a list of ${what}; "${withoutLogin(wrong)}" is not valid.`);
    return items;
  }

  /** @param allowsLogin whether the URL may contain a user name and a password; where it does, it is printed without them */
  url(name: string, protocols: readonly string[], allowsLogin = false): string {
    const text = this.text(name, '').replace(/\/+$/, '');
    if (text === '') return '';
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) {
      if (!allowsLogin && hasLogin(text)) this.problems.push(`${name} ${NO_LOGIN}`);
      return text;
    }
    this.problems.push(`${name} must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}.`);
    return '';
  }

  /** The value is not part of the error, because it may contain a password. */
  eventSink(name: string): EventSinkTarget | null {
    const text = this.text(name, '');
    const read = text === '' ? null : parseEventSink(text);
    if (typeof read !== 'string') return read;
    this.problems.push(`${name} ${read}.`);
    return null;
  }

  databaseUrl(name: string): string {
    const text = this.text(name, '');
    try {
      if (text !== '') parseDatabaseUrl(text);
    } catch (error) {
      if (!(error instanceof DatabaseUrlError)) throw error;
      this.problems.push(`${name} ${error.message}`);
    }
    return text;
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

/** Such URLs are printed and passed on, so they must not contain secrets. */
const NO_LOGIN = 'must not contain a user name or a password.';

const hasLogin = (url: string): boolean => new URL(url).username !== '' || new URL(url).password !== '';

/** A value for an error, without the user name and the password of a URL. Those may contain unencoded characters. */
const withoutLogin = (text: string): string => text.replace(/\/\/.*@/s, '//***@');

const listed = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);

const PREPARED = { auto: undefined, true: true, false: false } as const;

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
  const requestProcesses = read.integer('REQUEST_PROCESSES', 4, 0, 64);
  const config: Config = {
    host: read.text('HOST', '127.0.0.1'),
    port: read.integer('PORT', 8080, 0, 65535),
    processes: read.processes('PROCESSES'),
    freezeMs: 1000 * read.integer('FREEZE_SECONDS', 60, 0, 86_400),
    requests: {
      processes: requestProcesses,
      memoryBytes: read.requestMemory('REQUEST_MAX_MEMORY', requestProcesses),
      timeMs: 3_600_000 * read.integer('REQUEST_MAX_HOURS', 24, 1, 8_760),
      freezeMs: 1000 * read.integer('REQUEST_FREEZE_SECONDS', 300, 1, 86_400),
    },
    publicUrl: read.url('PUBLIC_URL', ['http:', 'https:']),
    databaseUrl: read.databaseUrl('DATABASE_URL'),
    databaseDirectUrl: read.databaseUrl('DATABASE_DIRECT_URL'),
    databasePrepared: PREPARED[read.choice('DATABASE_PREPARED_STATEMENTS', 'auto', ['auto', 'true', 'false'])],
    databasePoolSize: read.integer('DATABASE_POOL_SIZE', 10, 2, 500),
    databaseConnectTimeoutMs: read.integer('DATABASE_CONNECT_TIMEOUT_MS', 10_000, 100, 600_000),
    databaseResponseTimeoutMs: read.integer('DATABASE_RESPONSE_TIMEOUT_MS', 5_000, 100, 600_000),
    dataDir: resolve(read.text('DATA_DIR', './data')),
    extensions: read.list('CAIRN_EXTENSIONS').map((path) => resolve(path)),
    shareDir: read.text('SHARE_DIR', '') && resolve(read.text('SHARE_DIR', '')),
    media: {
      url: read.formed('MEDIA_URL', '', isBucketUrl, 'empty or a URL such as s3://bucket/prefix').replace(/\/+$/, ''),
      endpoint: read.url('MEDIA_S3_ENDPOINT', ['http:', 'https:']),
      region: read.text('MEDIA_S3_REGION', 'us-east-1'),
      accessKeyId: read.text('MEDIA_S3_ACCESS_KEY_ID', ''),
      secretAccessKey: read.text('MEDIA_S3_SECRET_ACCESS_KEY', ''),
      pathStyle: read.boolean('MEDIA_S3_PATH_STYLE', true),
      timeoutMs: read.integer('MEDIA_TIMEOUT_MS', 30_000, 100, 600_000),
      redirect: read.boolean('MEDIA_REDIRECT', false),
    },
    registration: read.choice('REGISTRATION', 'open', ['open', 'invited', 'closed']),
    emailVerification: read.choice('EMAIL_VERIFICATION', 'none', ['none', 'optional', 'mandatory']),
    localPasswords: read.boolean('LOCAL_PASSWORDS', true),
    signOn: {
      issuer: read.formed('OIDC_ISSUER', '', isIssuer, 'a URL that starts with http:// or https://'),
      clientId: read.text('OIDC_CLIENT_ID', ''),
      clientSecret: read.text('OIDC_CLIENT_SECRET', ''),
      scopes: read.text('OIDC_SCOPES', 'openid email profile'),
      name: read.text('OIDC_NAME', 'single sign-on'),
      groupsClaim: read.text('OIDC_GROUPS_CLAIM', 'groups'),
      groupRules: parseGroupRules(read.formed('OIDC_GROUPS', '', isGroupRules, GROUP_RULES_FORM)) ?? [],
      createAccounts: read.boolean('OIDC_CREATE_ACCOUNTS', true),
      trustEmail: read.boolean('OIDC_TRUST_EMAIL', false),
    },
    ldap: readLdap(read),
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
      googleEndpoint: read.url('GOOGLE_STORAGE_ENDPOINT', ['http:', 'https:']) || GOOGLE_STORAGE,
    },
    functions: {
      urls: read.listOf('FUNCTIONS_URLS', isHttpUrl, 'URLs that start with http:// or https://'),
      nuclioUrl: read.url('NUCLIO_URL', ['http:', 'https:'], true),
      nuclioNamespace: read.text('NUCLIO_NAMESPACE', 'nuclio'),
      nuclioInvoke: read.choice('NUCLIO_INVOKE', 'dashboard', ['dashboard', 'direct']),
      timeoutMs: read.integer('FUNCTIONS_TIMEOUT_MS', 120_000, 10, 3_600_000),
      responseBytes: read.bytes('FUNCTIONS_MAX_RESPONSE_BYTES', '100M'),
    },
    events: {
      retentionDays: read.integer('EVENTS_RETENTION_DAYS', 365, 0, 36_500),
      listenerTimeoutMs: read.integer('EVENT_LISTENER_TIMEOUT_MS', 60_000, 100, 3_600_000),
    },
    eventSink: {
      target: read.eventSink('EVENT_SINK'),
      retentionDays: read.integer('EVENT_SINK_RETENTION_DAYS', 30, 1, 36_500),
      maxBytes: read.bytesBetween('EVENT_SINK_MAX_BYTES', '900K', '4K', '64M'),
    },
    annotations: {
      historyDays: read.integer('ANNOTATION_HISTORY_DAYS', 30, 1, 36_500),
    },
    metricsAccess: read.choice('METRICS_ACCESS', 'local', ['admin', 'local', 'all']),
    monitoringPort: read.text('MONITORING_PORT', '') === '' ? null : read.integer('MONITORING_PORT', 9090, 0, 65535),
    tracing: readTracing(read),
    inspectEnabled: read.boolean('INSPECT_ENABLED', false),
    agents: {
      leaseMs: 1000 * read.integer('AGENT_LEASE_SECONDS', 600, 1, 86_400),
      streamsPerUser: read.integer('AGENT_STREAMS_PER_USER', 200, 1, 10_000),
    },
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
  if (config.databaseDirectUrl !== '' && config.databaseUrl === '') {
    read.problems.push('DATABASE_DIRECT_URL requires DATABASE_URL.');
  }
  if ((config.media.accessKeyId === '') !== (config.media.secretAccessKey === '')) {
    read.problems.push('MEDIA_S3_ACCESS_KEY_ID and MEDIA_S3_SECRET_ACCESS_KEY must be set together.');
  }
  if (config.mail.host !== '' && !isEmailAddress(config.mail.from)) {
    read.problems.push('MAIL_FROM must be the e-mail address of the sender when SMTP_HOST is set.');
  }
  if ((config.mail.user === '') !== (config.mail.password === '')) {
    read.problems.push('SMTP_USER and SMTP_PASSWORD must be set together.');
  }
  read.problems.push(...signOnProblems(config), ...ldapProblems(config.ldap));
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  return deepFreeze(config);
}

/** The standard variables of OpenTelemetry. The SDK reads the others. */
function readTracing(read: Reader): Config['tracing'] {
  const base = read.url('OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']);
  const url = read.url('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', ['http:', 'https:']) || (base && `${base}/v1/traces`);
  const protocols = ['http/protobuf', 'http/json'] as const;
  const general = read.choice('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf', protocols);
  const protocol = read.choice('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', general, protocols);
  const serviceName = read.text('OTEL_SERVICE_NAME', 'cairn');
  const isOff = read.boolean('OTEL_SDK_DISABLED', false) || read.text('OTEL_TRACES_EXPORTER', 'otlp') === 'none';
  return url === '' || isOff ? null : { url, protocol, serviceName };
}

function* signOnProblems({ signOn, ldap, localPasswords }: Config): Generator<string> {
  const { issuer, clientId, scopes } = signOn;
  if ((issuer === '') !== (clientId === '')) yield 'OIDC_ISSUER and OIDC_CLIENT_ID must be set together.';
  if (isHttpUrl(issuer) && hasLogin(issuer)) yield `OIDC_ISSUER ${NO_LOGIN}`;
  if (!scopes.split(/\s+/).includes('openid')) yield 'OIDC_SCOPES must contain "openid".';
  if (issuer === '' && ldap.urls.length === 0 && !localPasswords)
    yield 'LOCAL_PASSWORDS=false needs another way to log in: set OIDC_ISSUER and OIDC_CLIENT_ID, or LDAP_URL.';
}

function readLdap(read: Reader): Config['ldap'] {
  const groupRules = parseGroupRules(read.formed('LDAP_GROUPS', '', isGroupRules, GROUP_RULES_FORM)) ?? [];
  return {
    urls: read.listOf('LDAP_URL', isLdapUrl, 'URLs such as ldaps://ldap.example.org'),
    startTls: read.boolean('LDAP_STARTTLS', false),
    ca: read.text('LDAP_CA', '') && resolve(read.text('LDAP_CA', '')),
    bindDn: read.text('LDAP_BIND_DN', ''),
    bindPassword: read.text('LDAP_BIND_PASSWORD', ''),
    userBase: read.text('LDAP_USER_BASE', ''),
    userFilter: read.formed('LDAP_USER_FILTER', '(uid={username})', isUserFilter, USER_FILTER_FORM),
    attributes: {
      id: read.text('LDAP_ID_ATTRIBUTE', 'entryUUID'),
      username: read.text('LDAP_USERNAME_ATTRIBUTE', 'uid'),
      email: read.text('LDAP_EMAIL_ATTRIBUTE', 'mail'),
      firstName: read.text('LDAP_FIRST_NAME_ATTRIBUTE', 'givenName'),
      lastName: read.text('LDAP_LAST_NAME_ATTRIBUTE', 'sn'),
    },
    groupBase: read.text('LDAP_GROUP_BASE', ''),
    groupFilter: read.formed('LDAP_GROUP_FILTER', '(member={dn})', isFilter, 'a filter such as (member={dn})'),
    groupRules,
    groupNames: [...new Set(groupRules.flatMap(({ from }) => (from === '*' ? [] : [from])))],
    createAccounts: read.boolean('LDAP_CREATE_ACCOUNTS', true),
    trustEmail: read.boolean('LDAP_TRUST_EMAIL', false),
  };
}

function* ldapProblems({ urls, startTls, bindDn, bindPassword, userBase, groupBase, groupNames }: Config['ldap']) {
  if (urls.length > 0 && userBase === '') yield 'LDAP_USER_BASE is required with LDAP_URL.';
  if ((bindDn === '') !== (bindPassword === '')) yield 'LDAP_BIND_DN and LDAP_BIND_PASSWORD must be set together.';
  if (startTls && urls.some((url) => url.startsWith('ldaps:')))
    yield 'LDAP_STARTTLS is only for URLs that start with ldap://.';
  if (groupNames.length > 0 && groupBase === '') yield 'LDAP_GROUPS requires LDAP_GROUP_BASE.';
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

/** Whether it is `s3://bucket/prefix`, or empty. */
export const isBucketUrl = (text: string): boolean =>
  text === '' || /^s3:\/\/[a-z0-9][a-z0-9.-]{2,62}(\/[\w.-]+)*\/?$/.test(text);

/** Compared with what the provider says, so it keeps its trailing slash. */
const isIssuer = (text: string): boolean => text === '' || isHttpUrl(text);

const isGroupRules = (text: string): boolean => parseGroupRules(text) !== null;
const GROUP_RULES_FORM = 'rules such as "staff => user; vision team => lab:supervisor", separated by semicolons';

/** Without a path: what is searched is in other settings. */
const isLdapUrl = (text: string): boolean => /^ldaps?:\/\/[^/?#@\s]+\/?$/.test(text) && URL.canParse(text);

const isFilter = (text: string): boolean => /^\(.+\)$/.test(text);
const isUserFilter = (text: string): boolean => isFilter(text) && text.includes('{username}');
const USER_FILTER_FORM = 'a filter with {username}, such as (uid={username})';

const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

/** An address alone, or after a display name: `Cairn <cairn@example.org>`. */
const isEmailAddress = (text: string): boolean => /[^\s@<>]@[^\s@<>]/.test(text);

/** The rule of the API for user names. */
const isUsername = (text: string): boolean => /^[\p{L}\p{N}_.@+-]{1,150}$/u.test(text);
