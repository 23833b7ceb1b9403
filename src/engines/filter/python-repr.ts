import type { JsonValue } from '../json/json-value.js';

/** Formats a JSON value as Python's `repr` of the result of `json.loads`: `[{'var': 'id'}, 2, None]`. */
export function pythonRepr(value: JsonValue): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return numberRepr(value);
  if (typeof value === 'string') return stringRepr(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  const entries = Object.entries(value).map(([key, item]) => `${stringRepr(key)}: ${pythonRepr(item)}`);
  return `{${entries.join(', ')}}`;
}

/** Parsed JSON does not show whether an integer was written with a decimal point; it is formatted without one. */
function numberRepr(value: number): string {
  if (Number.isInteger(value)) return BigInt(value).toString();
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Math.abs(value) >= 1e-4) return String(value);
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1');
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

function stringRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(/[\\\p{C}\p{Z}]/gu, escapeCharacter);
  return quote + (quote === "'" ? body.replaceAll("'", "\\'") : body) + quote;
}

function escapeCharacter(character: string): string {
  if (character === ' ') return character;
  const named = NAMED[character];
  if (named !== undefined) return named;
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
