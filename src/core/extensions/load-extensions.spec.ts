import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { EVENTS_OF } from '../outbox/event-catalogue.js';
import { loadExtensions } from './load-extensions.js';

describe('loading extensions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-extensions-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const file = (name: string, text: string): string => {
    const path = join(folder, `${name}.mjs`);
    writeFileSync(path, text);
    return path;
  };

  it('none is nothing', async () => {
    expect(await loadExtensions([])).toEqual([]);
  });

  it('declares their events, once', async () => {
    const path = file(
      'good',
      `export const extension = { name: 'good', module: class {}, events: [
        { resource: 'parcel', object: class {}, operations: { create: 'a', delete: 'b' }, ofProjects: ['create'] }] };`,
    );
    expect((await loadExtensions([path]))[0]?.name).toBe('good');
    await loadExtensions([path]);
    const both = ['create:parcel', 'delete:parcel'];
    expect(EVENTS_OF).toEqual({ organization: both, project: ['create:parcel'], server: both });
  });

  it.each([
    ['empty', '', 'exports no `extension`'],
    ['broken', 'throw new Error("no licence")', 'cannot be loaded: no licence'],
    ['nameless', 'export const extension = { module: class {} }', 'has no name'],
    ['moduleless', `export const extension = { name: 'x' }`, 'has no module'],
    [
      'undated',
      `class Tables {} export const extension = { name: 'x', module: class {}, migrations: [Tables] }`,
      'has a migration without a timestamp in its name: Tables',
    ],
  ])('refuses one that is %s', async (name, text, problem) => {
    const path = file(name, text);
    await expect(loadExtensions([path])).rejects.toThrow(`The extension ${path} of CAIRN_EXTENSIONS ${problem}.`);
  });

  it('says which file is not there', async () => {
    const path = join(folder, 'missing.mjs');
    await expect(loadExtensions([path])).rejects.toThrow(`The extension ${path} of CAIRN_EXTENSIONS cannot be loaded`);
  });
});
