/** Escapes that Python's `json.dumps` adds to those of JSON.stringify. */
const NOT_ASCII = /[\u007f-\uffff]/g;

/** A JSON value as Python's `json.dumps` writes it: `{"a": [1, 2]}`, with only ASCII characters. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const pairs = Object.entries(value).map(([key, one]) => `${pythonJson(key)}: ${pythonJson(one)}`);
    return `{${pairs.join(', ')}}`;
  }
  return (JSON.stringify(value) ?? 'null').replaceAll(
    NOT_ASCII,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A JSON value as Python's `str` shows it: `True`, `None`, `{'id': 2}`; texts without quotes. */
export const pythonText = (value: unknown): string => (typeof value === 'string' ? value : pythonRepr(value));

function pythonRepr(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, one]) => `${quoted(key)}: ${pythonRepr(one)}`)
    .join(', ')}}`;
}

/** Python prefers single quotes. */
function quoted(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"');
  return text.includes("'") && !text.includes('"') ? `"${inner}"` : `'${inner.replaceAll("'", String.raw`\'`)}'`;
}
