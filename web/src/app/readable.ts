/** @returns the message of a failed background request without a leading exception name, and with a full stop */
export function readable(message: string): string {
  const said = plainText(message)
    .trim()
    .replace(/^(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*Error|(?:[A-Z]\w*)?Exception|BadZipFile): +(?:\[Errno \d+\] )?/, '');
  return said === '' || /[.!?…]$/.test(said) ? said : `${said}.`;
}

const DETAIL = /ErrorDetail\(string=('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"), code='[^']*'\)/g;

/** @returns the texts in a list of errors as CVAT writes it: `[ErrorDetail(string='…', code='invalid')]`; other texts unchanged */
export function plainText(text: string): string {
  const details = Array.from(text.matchAll(DETAIL), ([, quoted = '']) => unquoted(quoted));
  return details.length === 0 ? text : details.join(' ');
}

const CHARACTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Reads a text that is quoted as Python does. */
const unquoted = (quoted: string): string =>
  quoted
    .slice(1, -1)
    .replaceAll(/\\(?:x([\da-f]{2})|u([\da-f]{4})|(.))/g, (_, byte?: string, unit?: string, character = '') =>
      byte === undefined && unit === undefined
        ? (CHARACTERS[character] ?? character)
        : String.fromCharCode(Number.parseInt(byte ?? unit ?? '', 16)),
    );
