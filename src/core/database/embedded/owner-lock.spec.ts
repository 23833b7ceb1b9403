import { mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createOwnerLock } from './owner-lock.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-lock-'));
  path = join(folder, 'owner.lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

const deadPid = 2 ** 22 + 1; // above the largest process id on Linux

describe('owner lock', () => {
  it('has one holder at a time', async () => {
    const [first, second] = [createOwnerLock(path), createOwnerLock(path)];
    expect(await first.acquire()).toBe(true);
    expect(await second.acquire()).toBe(false);
    second.release(); // not its own: must have no effect
    expect(await second.acquire()).toBe(false);
    first.release();
    expect(await second.acquire()).toBe(true);
    second.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is acquired by one of many concurrent attempts', async () => {
    const locks = Array.from({ length: 20 }, () => createOwnerLock(path));
    const results = await Promise.all(locks.map((lock) => lock.acquire()));
    expect(results.filter(Boolean)).toHaveLength(1);
    locks.forEach((lock) => lock.release());
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['a dead process', JSON.stringify({ host: hostname(), pid: deadPid, began: '1' })],
    ['an earlier process with our number', JSON.stringify({ host: hostname(), pid: process.pid, began: 'earlier' })],
    ['nobody who can be read', '{"host":'],
  ])('is taken over from %s', async (_, content) => {
    writeFileSync(path, content);
    const lock = createOwnerLock(path);
    expect(await lock.acquire()).toBe(true);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
    lock.release();
  });

  it('is respected on another host while its heartbeat is fresh', async () => {
    writeFileSync(path, JSON.stringify({ host: 'another-container', pid: 1, began: '1' }));
    await expect(createOwnerLock(path).acquire()).rejects.toThrow(/another-container/);
    const minuteAgo = Date.now() / 1000 - 60;
    utimesSync(path, minuteAgo, minuteAgo);
    const lock = createOwnerLock(path);
    expect(await lock.acquire()).toBe(true);
    lock.release();
  });
});
