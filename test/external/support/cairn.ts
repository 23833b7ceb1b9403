import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../../../src/config/config.js';
import { readConfig } from '../../../src/config/env.js';
import { checkDatabase } from '../../../src/commands/doctor/database-checks.js';
import { findingText } from '../../../src/commands/doctor/finding.js';
import { createLogger } from '../../../src/core/logging/logger.js';
import { Notifier } from '../../../src/core/worker/notifier.js';
import { start } from '../../../src/main.js';

export const ADMIN_PASSWORD = 'admin-password';

type Environment = Readonly<Record<string, string>>;

/** What `cairn serve` runs, on a free port of this process. */
export interface RunningCairn {
  readonly url: string;
  log(): string;
  /** Resolves when notifications of other processes arrive. */
  listens(): Promise<void>;
  stop(): Promise<void>;
}

/** @param folder contains the data folder */
const configOf = (folder: string, env: Environment): Config =>
  readConfig({
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    ADMIN_PASSWORD,
    IMAGE_PROCESS: 'false', // its program needs compiled code, but tests run from the sources
    WEBHOOK_ALLOW_PRIVATE: 'true',
    ...env,
  });

/** Starts a server that also works in the background. @throws as `cairn serve` */
export async function startCairn(folder: string, env: Environment): Promise<RunningCairn> {
  let log = '';
  const logger = createLogger('info', { write: (line: string) => (log += line) });
  const server = await start(configOf(folder, env), logger, 'all');
  const listens = async (): Promise<void> => {
    while (!server.app.get(Notifier).isListening) await wait(50);
  };
  return { url: server.url ?? '', log: () => log, listens, stop: () => server.stop(1000) };
}

/** The sentence with which a start fails. */
export async function startFailure(folder: string, env: Environment): Promise<string> {
  try {
    await (await startCairn(folder, env)).stop();
    return 'started';
  } catch (error) {
    return (error as Error).message;
  }
}

/** What `cairn doctor` says about the database. */
export async function doctorOf(folder: string, env: Environment): Promise<string> {
  return (await checkDatabase(configOf(folder, env))).map(findingText).join('\n');
}

/** Sends requests to one server with the token of the administrator. */
export class Session {
  private constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  static async of({ url }: RunningCairn): Promise<Session> {
    const response = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password: ADMIN_PASSWORD }),
    });
    const { key } = (await response.json()) as { key: string };
    return new Session(url, key);
  }

  /** @param body JSON, or a form */
  fetch(method: string, path: string, body?: object): Promise<Response> {
    const isForm = body instanceof FormData;
    return fetch(`${this.url}${path}`, {
      method,
      headers: {
        Authorization: `Token ${this.token}`,
        ...(isForm || body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
  }

  /** @returns the body of a successful response @throws Error with the response otherwise */
  async send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await this.fetch(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
}
