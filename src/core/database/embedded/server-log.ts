import { type FileHandle, copyFile, open, stat, truncate } from 'node:fs/promises';
import type { ServerLayout } from './server-layout.js';

const largest = 10_000_000;

/** Opens the server's log for appending. */
export async function openServerLog(layout: ServerLayout): Promise<FileHandle> {
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
export async function readServerLog(layout: ServerLayout, from: number): Promise<string> {
  const handle = await open(layout.logFile, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(20_000), 0, 20_000, from);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
