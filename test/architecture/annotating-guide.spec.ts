import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** The app is compiled with other settings, so its types are not known here. */
interface Table {
  readonly SHORTCUTS: readonly { readonly title: string; readonly shortcuts: readonly { readonly title: string }[] }[];
}
interface Keys {
  readonly keyNames: (shortcut: object) => string[];
}

const DATA = '../../web/src/pages/job/data';

describe('the guide for annotators', () => {
  it('lists every keyboard shortcut of the editor', async () => {
    const { SHORTCUTS } = (await import(`${DATA}/shortcuts.js`)) as Table;
    const { keyNames } = (await import(`${DATA}/keys.js`)) as Keys;
    const rows = SHORTCUTS.flatMap(({ title, shortcuts }) =>
      shortcuts.flatMap((shortcut) => {
        const keys = keyNames(shortcut).map((name) => `<kbd>${name}</kbd>`);
        return keys.length === 0 ? [] : [`| ${title} | ${shortcut.title} | ${keys.join(' ')} |`];
      }),
    );
    const guide = readFileSync(join(import.meta.dirname, '../../docs/annotating.md'), 'utf8');
    expect(guide.split('\n').filter((line) => line.includes('<kbd>'))).toEqual(rows);
  });
});
