import { ConfigError } from './config/env.js';
import type { Config } from './config/config.js';
import { EmbeddedPostgresError } from './core/database/embedded/embedded-postgres.error.js';
import { ExtensionError } from './core/extensions/load-extensions.js';
import { InstallationError } from './core/installation.js';
import { AllowListError } from './engines/sender/address-guard.js';
import { NewerDatabaseError } from './migrate.js';

/** Why a process cannot start, in one sentence for the person who started it. */
export class StartError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'StartError';
  }
}

/** Whether the message of the error is written for the person who started the process. */
export const hasUserMessage = (error: unknown): error is Error =>
  error instanceof StartError ||
  error instanceof ConfigError ||
  error instanceof EmbeddedPostgresError ||
  error instanceof ExtensionError ||
  error instanceof InstallationError ||
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
  if (config.databaseUrl !== '' && isConnectionProblem(code, message)) {
    return new StartError(
      `The database of DATABASE_URL (${withoutPassword(config.databaseUrl)}) cannot be used: ${message || code}.`,
    );
  }
  return error;
}

/** Network errors, and PostgreSQL's errors for wrong credentials, unknown databases and missing permissions. */
const isConnectionProblem = (code: string | undefined, message: string): boolean =>
  /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|ENOENT|28|3D|42501|57P|08|53)/.test(code ?? '') ||
  /timeout|terminated|password|SASL|SSL/i.test(message);

function withoutPassword(url: string): string {
  const parsed = new URL(url);
  parsed.password = '';
  return parsed.toString();
}
