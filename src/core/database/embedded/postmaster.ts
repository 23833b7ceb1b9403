import type { ChildProcess } from 'node:child_process';
import { copyFile, type FileHandle, open, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Binaries } from './binaries.js';
import { EmbeddedPostgresError, explainOutput } from './embedded-postgres.error.js';
import { startFailure } from './launcher.js';
import type { ServerLayout } from './server-layout.js';
import { isServerOf, readPostmasterPid } from './postmaster-pid.js';
import { waitUntilReady } from './readiness.js';

const startMs = 300_000; // crash recovery replays the log first
const fastShutdownMs = 10_000;
const immediateShutdownMs = 5_000;
/** The part of the time for stopping that a fast shutdown may take. It writes all changes to the tables. */
const fastShare = 2 / 3;
const releaseMs = 10_000;
const pollMs = 20;

/** A running server that is a child of this process. */
export interface Postmaster {
  version: string;
  /** Resolves when the server has exited, for whatever reason. */
  exited: Promise<void>;
  /**
   * Stops the server: a fast shutdown, followed by an immediate one if that takes too long.
   * @param withinMs after this time the server is killed
   */
  stop(withinMs?: number): Promise<void>;
}

/** The parameters for starting the server. */
export interface ServerPlan {
  layout: ServerLayout;
  binaries: Binaries;
  settings: Record<string, string>;
  url: string;
}

/** Starts the server on a complete cluster and waits until it accepts connections. */
export async function startPostmaster(plan: ServerPlan): Promise<Postmaster> {
  const deadline = Date.now() + releaseMs;
  for (;;) {
    const { postmaster, output } = await tryStart(plan);
    if (postmaster) return postmaster;
    // After a SIGKILL of the postmaster, its last backends keep the shared memory for a moment.
    const held = /pre-existing shared memory block|lock file ".*" already exists/i.test(output);
    if (!held || Date.now() > deadline) throw explainOutput('Starting PostgreSQL', output);
    await delay(10 * pollMs);
  }
}

async function tryStart(plan: ServerPlan): Promise<{ postmaster?: Postmaster; output: string }> {
  const { layout, binaries } = plan;
  const log = await openServerLog(layout);
  const { size } = await log.stat();
  const flags = Object.entries(plan.settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = layout.launcher.start(binaries.postgres, ['-D', layout.cluster, ...flags], log.fd);
  child.unref();
  const state = { ended: false, failure: '' };
  const exited = watch(child, state); // before any await: a server with a wrong setting exits immediately
  await log.close();
  const deadline = Date.now() + startMs;
  const stop = (withinMs?: number) => end(child, exited, binaries, layout, withinMs);
  try {
    const version = await waitUntilReady(plan.url, () => !state.ended && Date.now() < deadline);
    if (version !== undefined) return { postmaster: { version, exited, stop }, output: '' };
  } catch (error) {
    await stop();
    throw error;
  }
  const tooLong = state.ended ? '' : `\nFATAL: it was not ready after ${startMs / 1000} seconds`;
  if (!state.ended) await stop();
  return { output: `${await readServerLog(layout, size)}${state.failure}${tooLong}` };
}

/** Resolves when `child` exits. If the Node process exits, it takes the server with it. */
function watch(child: ChildProcess, state: { ended: boolean; failure: string }): Promise<void> {
  const onExit = () => void child.kill('SIGINT');
  process.once('exit', onExit);
  return new Promise((resolve) => {
    const settle = () => {
      state.ended = true;
      process.removeListener('exit', onExit);
      resolve();
    };
    child.once('exit', settle);
    child.once('error', (error) => {
      state.failure = startFailure(error);
      settle();
    });
  });
}

async function end(
  child: ChildProcess,
  exited: Promise<void>,
  binaries: Binaries,
  layout: ServerLayout,
  withinMs = fastShutdownMs + immediateShutdownMs,
): Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  await sendSignal(pid, 'SIGINT', binaries, layout);
  const fastMs = withinMs * fastShare;
  if (await within(exited, fastMs)) return;
  await sendSignal(pid, 'SIGQUIT', binaries, layout);
  if (await within(exited, withinMs - fastMs)) return;
  child.kill('SIGKILL');
  await exited;
}

/** Stops a server that a dead owner left on the cluster, and removes a stale pid file. */
export async function stopAbandoned(layout: ServerLayout, binaries: Binaries): Promise<void> {
  const found = await readPostmasterPid(layout.cluster);
  if (found && (await isServerOf(layout.cluster, found.pid))) {
    const gone = async () => !(await isServerOf(layout.cluster, found.pid));
    await sendSignal(found.pid, 'SIGINT', binaries, layout);
    if (await poll(gone, fastShutdownMs)) return;
    await sendSignal(found.pid, 'SIGQUIT', binaries, layout);
    if (await poll(gone, immediateShutdownMs)) return;
    throw new EmbeddedPostgresError(
      `A PostgreSQL server (process ${found.pid}) uses ${layout.cluster} and does not stop: stop it manually, then start again.`,
    );
  }
  const pidFile = join(layout.cluster, 'postmaster.pid');
  if (await stat(pidFile).catch(() => undefined)) await rm(pidFile, { force: true });
}

async function sendSignal(
  pid: number,
  signal: 'SIGINT' | 'SIGQUIT',
  binaries: Binaries,
  layout: ServerLayout,
): Promise<void> {
  if (process.platform === 'win32') {
    await layout.launcher
      .run('Stopping PostgreSQL', binaries.pgCtl, ['kill', signal.slice(3), String(pid)])
      .catch(() => undefined);
    return;
  }
  try {
    process.kill(pid, signal);
  } catch {
    // It has exited in the meantime; the caller waits for that anyway.
  }
}

async function within(event: Promise<void>, milliseconds: number): Promise<boolean> {
  const cancel = new AbortController();
  const late = delay(milliseconds, false, { signal: cancel.signal }).catch(() => false);
  const inTime = await Promise.race([event.then(() => true), late]);
  cancel.abort();
  return inTime;
}

async function poll(condition: () => Promise<boolean>, milliseconds: number): Promise<boolean> {
  const deadline = Date.now() + milliseconds;
  while (!(await condition())) {
    if (Date.now() > deadline) return false;
    await delay(pollMs);
  }
  return true;
}

const largest = 10_000_000;

/** Opens the server's log for appending. */
async function openServerLog(layout: ServerLayout): Promise<FileHandle> {
  const handle = await open(layout.logFile, 'a', 0o600);
  const { account } = layout;
  if (account) await handle.chown(account.uid, account.gid);
  return handle;
}

/**
 * Keeps the log bounded: above 10 MB it is copied to `<log>.1` and emptied. The server keeps writing to the same file.
 */
export async function trimServerLog(layout: ServerLayout): Promise<void> {
  const { size } = await stat(layout.logFile);
  if (size <= largest) return;
  await copyFile(layout.logFile, `${layout.logFile}.1`);
  await truncate(layout.logFile);
}

/** What the server has logged since the log had `from` bytes, up to 20,000 bytes. */
async function readServerLog(layout: ServerLayout, from: number): Promise<string> {
  const handle = await open(layout.logFile, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(20_000), 0, 20_000, from);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
