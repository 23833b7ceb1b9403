import { shortcutOf } from '../data/keys';
import { combinationOf, type CustomKeys, customized, nameOf, problemOf, rowsOf } from './custom-shortcuts';

const pressed = (key: string, held: Partial<Record<'shiftKey' | 'ctrlKey' | 'altKey', boolean>> = {}) => ({
  key,
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
});
const actionOf = (keys: CustomKeys, event: ReturnType<typeof pressed>, isSecond = false) =>
  shortcutOf(event, 'standard', isSecond, customized(keys))?.action;

describe('custom shortcuts', () => {
  const custom: CustomKeys = { redo: [{ key: 'x' }, { key: 'x', after: 't' }], help: [] };

  it('replace all default keys of an action, and only those', () => {
    expect(actionOf(custom, pressed('x'))).toBe('redo');
    expect(actionOf(custom, pressed('x'), true)).toBe('redo');
    expect(actionOf(custom, pressed('y', { ctrlKey: true }))).toBeUndefined();
    expect(actionOf(custom, pressed('F1'))).toBeUndefined();
    expect(actionOf(custom, pressed('z', { ctrlKey: true }))).toBe('undo');
  });

  it('list every action of a group once, also without keys', () => {
    for (const { rows } of rowsOf(custom)) expect(new Set(rows.map(({ action }) => action)).size).toBe(rows.length);
    const rows = rowsOf(custom).flatMap((group) => group.rows);
    expect(rows.find(({ action }) => action === 'redo')?.combinations.map(nameOf)).toEqual(['X', 'T X']);
    expect(rows.find(({ action }) => action === 'help')?.combinations).toEqual([]);
  });

  it('reject keys of other actions, of the same action, and of the browser', () => {
    const problem = (key: ReturnType<typeof pressed>, keys: CustomKeys = {}): string | undefined =>
      problemOf(combinationOf(key, undefined) ?? { key: '' }, 'forward', keys);
    expect(problem(pressed('d'))).toMatch(/^D is already used for “Previous frame”/);
    expect(problem(pressed('f'))).toMatch(/already has F/);
    expect(problem(pressed('w', { ctrlKey: true }))).toMatch(/^Browsers use Ctrl \+ W/);
    expect(problem(pressed('d'), { back: [] })).toBeUndefined();
    expect(problem(pressed('x'), custom)).toMatch(/used for “Redo”/);
  });

  it('may use keys that a mode has for itself', () => {
    expect(problemOf({ key: '2' }, 'forward', {})).toBeUndefined();
    expect(problemOf({ key: '2' }, 'choose-1', {})).toMatch(/^2 is already used/);
  });

  it('are made of pressed keys, but not of modifiers alone', () => {
    expect(combinationOf(pressed('Shift', { shiftKey: true }), undefined)).toBeUndefined();
    expect(nameOf(combinationOf(pressed('A', { shiftKey: true, altKey: true }), undefined) ?? { key: '' })).toBe(
      'Alt + Shift + A',
    );
    expect(nameOf(combinationOf(pressed('?', { shiftKey: true }), undefined) ?? { key: '' })).toBe('?');
    const digit = { ...pressed('"', { shiftKey: true }), code: 'Digit2' };
    expect(nameOf(combinationOf(digit, undefined) ?? { key: '' })).toBe('Shift + 2');
  });
});
