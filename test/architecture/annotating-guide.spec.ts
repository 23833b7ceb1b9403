import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** The app is compiled with other settings, so its types are not known here. */
interface Shortcuts {
  readonly SHORTCUTS: readonly { readonly title: string; readonly shortcuts: readonly { readonly title: string }[] }[];
  readonly keyNames: (shortcut: object) => string[];
}

const MODULE = '../../web/src/pages/job/data/shortcuts.js';

describe('the guide for annotators', () => {
  it('lists every keyboard shortcut of the editor', async () => {
    const { SHORTCUTS, keyNames } = (await import(MODULE)) as Shortcuts;
    const rows = SHORTCUTS.flatMap(({ title, shortcuts }) =>
      shortcuts.map((shortcut) => {
        const keys = keyNames(shortcut).map((name) => `<kbd>${name}</kbd>`);
        return `| ${title} | ${shortcut.title} | ${keys.join(' ')} |`;
      }),
    );
    const guide = readFileSync(join(import.meta.dirname, '../../docs/annotating.md'), 'utf8');
    expect(guide.split('\n').filter((line) => line.includes('<kbd>'))).toEqual(rows);
  });
});
