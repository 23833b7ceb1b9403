import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, type QueryResultRow } from 'pg';
import { type EmbeddedPostgres, startEmbedded } from '../../../src/core/database/embedded/start-embedded.js';

/** A log that stores its lines and lets a spec await the nth matching line. */
export function createLog() {
  const lines: string[] = [];
  const added = new EventEmitter();
  const add = (line: string) => {
    lines.push(line);
    added.emit('line');
  };
  const said = async (pattern: RegExp, times = 1) => {
    while (lines.filter((line) => pattern.test(line)).length < times) await once(added, 'line');
  };
  return { info: add, warn: add, error: add, lines, said };
}

/** Data folders, servers and processes of one spec. close() stops and removes them all. */
export function createScratch() {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-embedded-'));
  chmodSync(folder, 0o711); // when run as root, the server's own user must traverse it
  const servers: EmbeddedPostgres[] = [];
  const children: ChildProcess[] = [];
  return {
    folder,
    async start(dataDir: string, more: Partial<Parameters<typeof startEmbedded>[0]> = {}) {
      const server = await startEmbedded({ dataDir, log: createLog(), ...more });
      servers.push(server);
      return server;
    },
    /** Runs the server in another Node process. Resolves when it is ready. */
    async startElsewhere(dataDir: string): Promise<{ url: string; kill(): Promise<void> }> {
      const script = join(import.meta.dirname, 'owner-process.ts');
      const hooks = join(import.meta.dirname, '../../runner/typescript-hooks.js');
      const child = spawn(process.execPath, ['--import', hooks, script, dataDir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      const exited = once(child, 'exit');
      const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
      const kill = async () => {
        child.kill('SIGKILL');
        await exited;
      };
      return { url, kill };
    },
    async close() {
      children.forEach((child) => child.kill('SIGKILL'));
      for (const server of servers) await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Runs one statement on its own connection and returns its rows. */
export async function query<Row extends QueryResultRow>(url: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

export const serverPid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);
