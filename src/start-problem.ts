import { ConfigError } from './config/env.js';
import type { Config } from './config/config.js';
import { withoutPassword } from './config/database-url.js';
import { CertificateFileError } from './core/database/client-config.js';
import { DatabaseUnavailable } from './core/database/database-client.js';
import { DatabaseRequirementError } from './core/database/requirements.js';
import { EmbeddedPostgresError } from './core/database/embedded/embedded-postgres.error.js';
import { ExtensionError } from './core/extensions/load-extensions.js';
import { InstallationError } from './core/database/installation.js';
import { DirectorySettingsError } from './engines/directory/directory.js';
import { BrokerFileError } from './engines/event-broker/broker.js';
import { AllowListError } from './engines/sender/address-guard.js';
import { NewerDatabaseError } from './migrate.js';
import { StartError } from './start-error.js';

/** Whether the message of the error is written for the person who started the process. */
export const hasUserMessage = (error: unknown): error is Error =>
  error instanceof StartError ||
  error instanceof ConfigError ||
  error instanceof EmbeddedPostgresError ||
  error instanceof ExtensionError ||
  error instanceof InstallationError ||
  error instanceof DatabaseRequirementError ||
  error instanceof CertificateFileError ||
  error instanceof BrokerFileError ||
  error instanceof DirectorySettingsError ||
  error instanceof NewerDatabaseError ||
  error instanceof AllowListError;

/** Converts known errors of a start to a StartError. Returns other errors unchanged. */
export function startProblem(error: unknown, config: Config): unknown {
  if (hasUserMessage(error)) return error;
  const { code, message, hostname } = error as NodeJS.ErrnoException & { readonly hostname?: string };
  const port = `Port ${config.port} on ${config.host}`;
  if (code === 'EADDRINUSE')
    return new StartError(`${port} is already in use. Stop the program that uses it, or set PORT to another port.`);
  if (code === 'EACCES')
    return new StartError(
      `This user does not have the permission to listen on port ${config.port}. Set PORT to a port above 1023.`,
    );
  if (code === 'EADDRNOTAVAIL' || (/^(ENOTFOUND|EAI_)/.test(code ?? '') && hostname === config.host))
    return new StartError(`${config.host} is not an address of this machine. Set HOST to one of its addresses.`);
  if (code === '42P07')
    return new StartError(
      `The database has tables of another program (${message}). Create a database for Cairn alone.`,
    );
  if (config.databaseUrl !== '' && (error instanceof DatabaseUnavailable || isConnectionProblem(code, message)))
    return new StartError(connectionSentence(code, message || String(code), config));
  return error;
}

/** Network errors, and PostgreSQL's errors for wrong credentials, unknown databases and missing permissions. */
const isConnectionProblem = (code: string | undefined, message: string): boolean =>
  /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|ENOENT|28|3D|42501|57P|08|53)/.test(code ?? '') ||
  /timeout|terminated|password|SASL|SSL/i.test(message);

/** What to do about problems of encryption and poolers, whose messages are hard to understand. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [
    /self-signed certificate|self signed certificate|unable to (verify|get)/i,
    'The authority of its certificate is unknown. Set sslrootcert in the URL to the file of that authority',
  ],
  [
    /altnames|Hostname\/IP does not match/i,
    'Its certificate is for another host name. Use that name in the URL, or sslmode=verify-ca to verify only the authority',
  ],
  [/certificate has expired/i, 'Renew its certificate'],
  [/does not support SSL/i, 'Switch on TLS there, or remove sslmode from the URL'],
  [/no encryption/i, 'It accepts only encrypted connections. Add sslmode=verify-full to the URL'],
  [
    /unsupported startup parameter/i,
    'This is PgBouncer. Set DATABASE_DIRECT_URL to the URL of PostgreSQL itself, and keep DATABASE_URL for PgBouncer',
  ],
  [/accepts no writes/i, 'Use the URL of the primary, or list all servers in the URL, separated by commas'],
];

function connectionSentence(code: string | undefined, message: string, config: Config): string {
  const { databaseUrl, databaseDirectUrl } = config;
  const urls = [databaseUrl, databaseDirectUrl].filter(Boolean).map(withoutPassword).join(' or ');
  const advice = ADVICE.find(([pattern]) => pattern.test(message) || pattern.test(code ?? ''))?.[1];
  return `The database of DATABASE_URL (${urls}) cannot be used: ${message}.${advice === undefined ? '' : ` ${advice}.`}`;
}
