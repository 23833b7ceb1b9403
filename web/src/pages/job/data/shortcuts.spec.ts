import { actionOf, keyNames, SHORTCUTS } from './shortcuts';

const key = (name: string, modifiers: Partial<Record<'shiftKey' | 'ctrlKey' | 'altKey', boolean>> = {}) => ({
  key: name,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...modifiers,
});

describe('shortcuts', () => {
  const all = SHORTCUTS.flatMap(({ shortcuts }) => shortcuts);

  it('are unambiguous', () => {
    for (const { action, keys, shift = false } of all) {
      for (const name of keys) expect(actionOf(key(name, { shiftKey: shift }))).toBe(action);
    }
  });

  it('distinguish letters with Shift, but not characters that need it', () => {
    expect(actionOf(key('N', { shiftKey: true }))).toBe('previous-object');
    expect(actionOf(key('?', { shiftKey: true }))).toBe('help');
    expect(actionOf(key('F', { shiftKey: true }))).toBeUndefined();
  });

  it('ignore key combinations of the browser', () => {
    expect(actionOf(key('f', { ctrlKey: true }))).toBeUndefined();
    expect(actionOf(key('ArrowLeft', { altKey: true }))).toBeUndefined();
    expect(actionOf(key('x'))).toBeUndefined();
  });

  it('have the names on the keyboard', () => {
    expect(all.filter(({ action }) => ['play', 'previous-object', 'back-far'].includes(action)).map(keyNames)).toEqual([
      ['C', 'Page Up'],
      ['Space'],
      ['Shift + N'],
    ]);
  });
});
