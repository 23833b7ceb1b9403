import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { exportFormats, importFormats } from '../../engines/annotations/formats/registry.js';
import { rememberRegistries } from '../../../test/support/registries.js';
import { eventsOf, WEBHOOK_TYPES } from '../../modules/webhooks/event-catalogue.js';
import { loadExtensions } from './load-extensions.js';

describe('loading extensions', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-extensions-'));
  const restoreRegistries = rememberRegistries();
  afterAll(() => {
    rmSync(folder, { recursive: true });
    restoreRegistries();
  });

  const file = (name: string, text: string): string => {
    const path = join(folder, `${name}.mjs`);
    writeFileSync(path, text);
    return path;
  };

  it('loads nothing if none is configured', async () => {
    expect(await loadExtensions([])).toEqual([]);
  });

  it('declares their events, once', async () => {
    const path = file(
      'good',
      `export const extension = { name: 'good', module: class {}, events: [
        { resource: 'parcel', object: class {}, operations: { create: 'a', delete: 'b' }, ofProjects: ['create'] }] };`,
    );
    const [organization = [], project = [], server = []] = WEBHOOK_TYPES.map(eventsOf);
    expect((await loadExtensions([path]))[0]?.name).toBe('good');
    await loadExtensions([path]);
    const both = ['create:parcel', 'delete:parcel'];
    expect(WEBHOOK_TYPES.map(eventsOf)).toEqual([
      [...organization, ...both].sort(),
      [...project, 'create:parcel'].sort(),
      [...server, ...both].sort(),
    ]);
  });

  it('adds their formats, once, and needs no module for them', async () => {
    const path = file(
      'formats',
      `const info = { name: 'Boxes 1.0', ext: 'CSV', version: '1.0', enabled: true, dimension: '2d' };
      export const extension = { name: 'formats', exportFormats: [{ info }], importFormats: [{ info }] };`,
    );
    await loadExtensions([path]);
    await loadExtensions([path]);
    for (const formats of [exportFormats, importFormats])
      expect(formats.names.filter((name) => name === 'Boxes 1.0')).toHaveLength(1);
    expect(exportFormats.find('Boxes 1.0')?.info.ext).toBe('CSV');
    const other = file(
      'twice',
      `export const extension = { name: 'twice', importFormats: [{ info: { name: 'YOLO 1.1' } }] };`,
    );
    await expect(loadExtensions([other])).rejects.toThrow('cannot be used: there is a format YOLO 1.1 already.');
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

  it('names the missing file', async () => {
    const path = join(folder, 'missing.mjs');
    await expect(loadExtensions([path])).rejects.toThrow(`The extension ${path} of CAIRN_EXTENSIONS cannot be loaded`);
  });
});
