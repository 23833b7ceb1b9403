/** One address of a database server: a host name, an IP address, or the folder of a Unix socket. */
export interface DatabaseHost {
  readonly host: string;
  readonly port: number;
}

/** How a connection is encrypted, in libpq's terms. https://www.postgresql.org/docs/current/libpq-ssl.html */
export interface DatabaseTls {
  readonly mode: 'disable' | 'require' | 'verify-ca' | 'verify-full';
  /** File with trusted certificate authorities; undefined: those of Node.js. */
  readonly rootCertificate: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

/** The parts of a PostgreSQL connection URL. */
export interface DatabaseUrl {
  /** At least one. With several, the server that accepts writes is used. */
  readonly hosts: readonly DatabaseHost[];
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  /** Undefined if the URL says nothing about TLS. */
  readonly tls: DatabaseTls | undefined;
  /** Command-line options for the session, such as `-c search_path=cairn`. */
  readonly options: string | undefined;
  readonly applicationName: string | undefined;
}

const DEFAULT_PORT = 5432;
const FORM = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^@/?#]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
/** An IPv6 address in brackets, the folder of a socket, or a name; then a port. */
const HOST = /^(?:\[([^\]]+)\]|(\/.*?|[^:]*))(?::(\d*))?$/;
const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
const WRITABLE = ['read-write', 'primary'];
const TLS_PARAMETERS = ['ssl', 'sslcert', 'sslkey', 'sslmode', 'sslrootcert'];

/** Why a connection URL cannot be used, as the end of a sentence that starts with the name of the setting. */
export class DatabaseUrlError extends Error {
  override name = 'DatabaseUrlError';
}

/**
 * Parses a connection URL as libpq does: `postgresql://user:password@host1:5432,host2/database?sslmode=verify-full`.
 * @throws DatabaseUrlError
 */
export function parseDatabaseUrl(url: string): DatabaseUrl {
  const [matched, authority = '', hosts = '', path = '', query = ''] = FORM.exec(url) ?? [];
  if (matched === undefined)
    throw new DatabaseUrlError(
      'must be a URL such as postgres://user:password@host:5432/database. Encode special characters of the password: @ is %40, / is %2F.',
    );
  const parameters = new URLSearchParams(query);
  // A misspelt one must not leave a connection without TLS.
  const unknown = [...parameters.keys()].find((name) => /ssl|tls/i.test(name) && !TLS_PARAMETERS.includes(name));
  if (unknown !== undefined)
    throw new DatabaseUrlError(
      `has the parameter "${unknown}". The parameters for TLS are ${TLS_PARAMETERS.slice(1).join(', ')}.`,
    );
  const parameter = (name: string): string | undefined => parameters.get(name) || undefined;
  const [user = '', ...password] = authority.split(':');
  const target = parameter('target_session_attrs');
  if (target !== undefined && !WRITABLE.includes(target))
    throw new DatabaseUrlError(`has target_session_attrs=${target}. Cairn writes, so use read-write or primary.`);
  return {
    hosts: parseHosts(parameter('host') ?? hosts, parameter('port')),
    user: parameter('user') ?? decoded(user),
    password: parameter('password') ?? decoded(password.join(':')),
    database: parameter('dbname') ?? decoded(path),
    tls: parseTls(parameter),
    options: parameter('options'),
    applicationName: parameter('application_name'),
  };
}

/** The URL without its password, for messages. */
export const withoutPassword = (url: string): string =>
  url.replace(/^(\w+:\/\/[^:@/?#]*):[^@/?#]*@/, '$1@').replace(/([?&]password=)[^&]*/, '$1***');

/** @param ports one for all hosts, or one for each, separated by commas */
function parseHosts(hosts: string, ports: string | undefined): DatabaseHost[] {
  const list = ports?.split(',') ?? [];
  return hosts.split(',').map((text, index) => {
    const [matched, v6, name = '', ownPort = ''] = HOST.exec(text) ?? [];
    const port = Number(ownPort || list[list.length > 1 ? index : 0] || DEFAULT_PORT);
    if (matched === undefined || !Number.isInteger(port) || port < 1 || port > 65_535)
      throw new DatabaseUrlError(
        'has a host or port that cannot be parsed. Encode special characters of the password: / is %2F, ? is %3F.',
      ); // without the text, which may be part of the password
    return { host: v6 ?? decoded(name) ?? 'localhost', port };
  });
}

function parseTls(parameter: (name: string) => string | undefined): DatabaseTls | undefined {
  const root = parameter('sslrootcert');
  const ssl = parameter('ssl');
  const mode =
    parameter('sslmode') ?? (root !== undefined || ssl === 'true' || ssl === '1' ? 'verify-full' : undefined);
  if (mode === undefined) return undefined;
  const known = TLS_MODES.find((one) => one === mode);
  if (known === undefined)
    throw new DatabaseUrlError(`has sslmode=${mode}. Use disable, require, verify-ca or verify-full.`);
  if ((parameter('sslcert') === undefined) !== (parameter('sslkey') === undefined))
    throw new DatabaseUrlError('has only one of sslcert and sslkey. A client certificate needs both.');
  const rootCertificate = root === 'system' ? undefined : root;
  if (known === 'verify-ca' && rootCertificate === undefined)
    throw new DatabaseUrlError(
      'has sslmode=verify-ca without a file in sslrootcert. Name the certificate of your authority, or use verify-full.',
    );
  return { mode: known, rootCertificate, certificate: parameter('sslcert'), key: parameter('sslkey') };
}

/** @returns undefined if the text is empty */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text) || undefined;
  } catch {
    throw new DatabaseUrlError('contains a % that is not followed by two hexadecimal digits. Write % as %25.');
  }
}
