import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { type DatabaseTls, parseDatabaseUrl } from '../../config/database-url.js';
import type { DatabaseClientConfig } from './database-client.js';
import { Primary } from './primary.js';

/** A certificate or key that DATABASE_URL names cannot be read. */
export class CertificateFileError extends Error {
  override name = 'CertificateFileError';
}

/**
 * The driver's settings for a connection URL. Its own parser knows neither several hosts nor libpq's meaning of `sslmode`.
 * @param options command-line options of the session; they take precedence over those of the URL
 * @throws DatabaseUrlError, CertificateFileError
 */
export function clientConfig(url: string, options = ''): DatabaseClientConfig {
  if (url === '') return { options }; // nothing connects before the embedded server has a URL
  const parsed = parseDatabaseUrl(url);
  const { hosts, user, password, database, tls, applicationName } = parsed;
  const [first = { host: 'localhost', port: 5432 }] = hosts;
  const config: DatabaseClientConfig = {
    ...first,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    ...(tls === undefined || first.host.startsWith('/') ? {} : { ssl: tlsOptions(tls) }),
    ...(applicationName === undefined ? {} : { application_name: applicationName }),
    ...(options === '' && parsed.options === undefined
      ? {}
      : { options: [parsed.options, options].filter(Boolean).join(' ') }),
  };
  return hosts.length === 1 ? config : { ...config, primary: new Primary(hosts, config) };
}

function tlsOptions({ mode, rootCertificate, certificate, key }: DatabaseTls): ConnectionOptions | false {
  if (mode === 'disable') return false;
  return {
    ...(rootCertificate === undefined ? {} : { ca: contents(rootCertificate, 'sslrootcert') }),
    ...(certificate === undefined ? {} : { cert: contents(certificate, 'sslcert') }),
    ...(key === undefined ? {} : { key: contents(key, 'sslkey') }),
    // As in libpq, `require` verifies the authority, but not the host name, if it is given a root certificate.
    ...(mode === 'require' && rootCertificate === undefined ? { rejectUnauthorized: false } : {}),
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
}

function contents(path: string, parameter: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'cannot be read';
    throw new CertificateFileError(`The file ${path}, which ${parameter} of DATABASE_URL names, ${reason}.`);
  }
}
