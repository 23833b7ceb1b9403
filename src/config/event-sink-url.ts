/** Where events are published: the parts of `EVENT_SINK`. */
export interface EventSinkTarget {
  readonly kind: 'nats' | 'kafka';
  /** `host:port` of one or more servers of the cluster. */
  readonly servers: readonly string[];
  /** NATS: what all subjects begin with. Kafka: the topic. */
  readonly channel: string;
  /** The JetStream stream; empty for Kafka. */
  readonly stream: string;
  readonly tls: boolean;
  /** Empty: no log-in. */
  readonly user: string;
  /** Empty for NATS: `user` is a token. */
  readonly password: string;
  /** How user and password are sent to Kafka. */
  readonly sasl: (typeof SASL)[number];
  /** Paths of files in PEM format; empty: the certificate authorities that Node.js knows, and no client certificate. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  /** The path of a NATS credentials file; empty: none. */
  readonly credentials: string;
  /** The path of a file with the seed of a NATS key pair; empty: none. */
  readonly nkey: string;
}

const SASL = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;

const SCHEMES: Readonly<Record<string, { readonly kind: EventSinkTarget['kind']; readonly tls: boolean }>> = {
  nats: { kind: 'nats', tls: false },
  tls: { kind: 'nats', tls: true },
  kafka: { kind: 'kafka', tls: false },
  'kafka+ssl': { kind: 'kafka', tls: true },
};
const PORTS = { nats: 4222, kafka: 9092 };
/** Parameters by type of broker. */
const PARAMETERS = {
  nats: ['stream', 'ca', 'cert', 'key', 'credentials', 'nkey'],
  kafka: ['sasl', 'ca', 'cert', 'key'],
};
const DEFAULT_CHANNEL = 'cairn';
const DEFAULT_STREAM = 'CAIRN';

/** Not `URL`, which accepts one host only: `scheme://user:password@host:port,host:port/channel?parameters`. */
const FORM = /^([a-z+]+):\/\/(?:([^/?@]*)@)?([^/?@]*)(?:\/([^?]*))?(?:\?(.*))?$/;
const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i;
/** Tokens of NATS subjects, and names of Kafka topics. */
const CHANNEL = /^[\w-]+(\.[\w-]+)*$/;
const STREAM = /^[\w-]+$/;

/**
 * Reads the URL of an event sink.
 * @returns what is wrong with it, without its text, which may contain a password
 */
export function parseEventSink(text: string): EventSinkTarget | string {
  const [, scheme = '', login, hosts = '', path = '', search = ''] = FORM.exec(text) ?? [];
  const known = SCHEMES[scheme];
  if (known === undefined) return 'must be a URL that starts with nats://, tls://, kafka:// or kafka+ssl://';
  if (hosts === '') return `must name a server, such as ${scheme}://broker.example.org:${PORTS[known.kind]}`;
  const servers = hosts.split(',').map((host) => serverOf(host, PORTS[known.kind]));
  if (!servers.every((server) => server !== null)) return 'must name its servers as host:port, separated by commas';
  const parameters = new URLSearchParams(search);
  const allowed = PARAMETERS[known.kind];
  const unknown = [...parameters.keys()].find((name) => !allowed.includes(name));
  if (unknown !== undefined) return `has an unknown parameter${quoted(unknown)}; use ${allowed.join(', ')}`;
  const parameter = (name: string): string => parameters.get(name) ?? '';
  const channel = path || DEFAULT_CHANNEL;
  if (!CHANNEL.test(channel)) return 'must have a path of letters, digits, -, _ and dots, such as /cairn';
  const stream = known.kind === 'kafka' ? '' : parameter('stream') || DEFAULT_STREAM;
  if (stream !== '' && !STREAM.test(stream)) return 'must name a stream of letters, digits, - and _';
  const sasl = SASL.find((name) => name === (parameter('sasl') || 'plain'));
  if (sasl === undefined) return `must have one of these values as sasl: ${SASL.join(', ')}`;
  const person = loginOf(login ?? '');
  if (person === null) return 'must have percent-encoded user name and password';
  if (known.kind === 'kafka' && (person.user === '') !== (person.password === '')) {
    return 'must have both a user name and a password, or neither';
  }
  if ((parameter('cert') === '') !== (parameter('key') === '')) return 'must have both cert and key, or neither';
  const logins = ['credentials', 'nkey'].filter((name) => parameter(name) !== '').length + (person.user === '' ? 0 : 1);
  if (known.kind === 'nats' && logins > 1) return 'must have only one of a user name or token, credentials and nkey';
  const files = {
    ca: parameter('ca'),
    cert: parameter('cert'),
    key: parameter('key'),
    credentials: parameter('credentials'),
    nkey: parameter('nkey'),
  };
  return { ...known, servers, channel, stream, sasl, ...person, ...files };
}

/** A name for an error. Anything else may be a part of a password that contains a question mark. */
const quoted = (name: string): string => (/^[a-z_]{1,20}$/i.test(name) ? ` "${name}"` : '');

function serverOf(text: string, port: number): string | null {
  const [, host, given] = HOST.exec(text.trim()) ?? [];
  if (host === undefined || Number(given ?? port) > 65_535) return null;
  return `${host}:${given ?? port}`;
}

function loginOf(text: string): { user: string; password: string } | null {
  const [user = '', ...rest] = text.split(':');
  try {
    return { user: decodeURIComponent(user), password: decodeURIComponent(rest.join(':')) };
  } catch {
    return null; // a percent sign that is not part of an encoded character
  }
}
