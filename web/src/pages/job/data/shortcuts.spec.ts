import type { Action } from './actions';
import { keyNames, shortcutOf, startsSequence } from './keys';
import { SHORTCUTS } from './shortcuts';

const key = (name: string, modifiers: Partial<Record<'shiftKey' | 'ctrlKey' | 'altKey', boolean>> = {}) => ({
  key: name,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...modifiers,
});

const actionOf = (pressed: Parameters<typeof shortcutOf>[0]): Action | undefined =>
  shortcutOf(pressed, 'standard')?.action;

describe('shortcuts', () => {
  const all = SHORTCUTS.flatMap(({ shortcuts }) => shortcuts);

  it('are unambiguous', () => {
    for (const { mode = 'standard', shortcuts } of SHORTCUTS) {
      for (const shortcut of shortcuts) {
        const { keys, shift = false, ctrl = false, alt = false, after } = shortcut;
        for (const name of keys) {
          const code = /^\d$/.test(name) ? { code: `Digit${name}` } : {};
          const pressed = { ...key(name, { shiftKey: shift, ctrlKey: ctrl, altKey: alt }), ...code };
          expect(shortcutOf(pressed, mode, after !== undefined)).toBe(shortcut);
        }
      }
    }
  });

  it('distinguish letters with Shift, but not characters that need it', () => {
    expect(actionOf(key('H', { shiftKey: true }))).toBe('hide-all');
    expect(actionOf(key('Tab', { shiftKey: true }))).toBe('previous-object');
    expect(actionOf(key('?', { shiftKey: true }))).toBe('help');
    expect(actionOf(key('X', { shiftKey: true }))).toBeUndefined();
  });

  it('know digits with Shift by the position of their key', () => {
    expect(actionOf({ ...key('!', { shiftKey: true }), code: 'Digit1' })).toBe('mask-brush');
    expect(actionOf({ ...key('"', { shiftKey: true }), code: 'Digit2' })).toBe('mask-eraser');
    expect(actionOf({ ...key('1'), code: 'Digit1' })).toBe('actual-size');
    expect(actionOf({ ...key('/', { shiftKey: true }), code: 'Digit7' })).toBe('toggle-occluded');
  });

  it('consist of one key, or of two after T', () => {
    expect(startsSequence(key('t'))).toBe(true);
    expect(shortcutOf(key('l'), 'standard', true)?.action).toBe('lock-all');
    expect(actionOf(key('l'))).toBe('toggle-lock');
    expect(shortcutOf(key('f'), 'standard', true)).toBeUndefined();
  });

  it('of a mode come before the others, and work only there', () => {
    expect(shortcutOf(key('1'), 'tags')?.action).toBe('choose-1');
    expect(shortcutOf(key('f'), 'tags')?.action).toBe('forward');
    expect(actionOf(key('1'))).toBe('actual-size');
    expect(actionOf(key('2'))).toBeUndefined();
  });

  it('ignore key combinations of the browser', () => {
    expect(actionOf(key('f', { ctrlKey: true }))).toBeUndefined();
    expect(actionOf(key('ArrowUp', { altKey: true }))).toBeUndefined();
    expect(actionOf(key('x'))).toBeUndefined();
  });

  it('have the names on the keyboard', () => {
    expect(all.filter(({ action }) => ['play', 'previous-object', 'back-far'].includes(action)).map(keyNames)).toEqual([
      ['C', 'Page Up'],
      ['Space'],
      ['Shift + Tab'],
    ]);
  });
});
