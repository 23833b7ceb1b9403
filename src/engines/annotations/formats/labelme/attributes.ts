import { decimal } from '../../decimal.js';
import type { ItemAttribute } from '../items/attributes.js';

/** Attributes with elements of their own. */
export const OWN_ELEMENTS = new Set(['username', 'occluded']);

/** Writes attributes as `name=value, name=value`. Texts that look like numbers, or have spaces around them, are quoted. */
export const attributesText = (attributes: readonly ItemAttribute[]): string =>
  attributes
    .filter(({ name }) => !OWN_ELEMENTS.has(name))
    .map(({ name, value, text }) => {
      const isQuoted = typeof value === 'string' && (Number.isFinite(decimal(text)) || text !== text.trim());
      return `${escaped(name)}=${isQuoted ? `"${escaped(text)}"` : escaped(text)}`;
    })
    .join(', ');

const escaped = (text: string): string => text.replaceAll(/[\\=",]/g, String.raw`\$&`);

/** A part of a list up to the next comma, or of an attribute up to the next `=`; a backslash escapes one character. */
const LIST_PART = /(?:\\.|[^\\,])+/gs;
const ATTRIBUTE = /^((?:\\.|[^\\=])*)=(.*)$/s;
const QUOTED = /^"((?:\\.|[^\\])*)"$/s;

/** Reads attributes; a name alone is a flag that is set. */
export function attributesIn(text: string): [name: string, value: string][] {
  return Array.from(text.matchAll(LIST_PART), ([part]): [string, string] => {
    const [, name = part, value = 'true'] = ATTRIBUTE.exec(part) ?? [];
    const plain = value.trim();
    return [unescaped(name.trim()), unescaped(QUOTED.exec(plain)?.[1] ?? plain)];
  }).filter(([name]) => name !== '');
}

const unescaped = (text: string): string => text.replaceAll(/\\(.)/gs, '$1');
