/** Below this size a body may be what it wants. */
const ANY_BYTES = 2 ** 21;
/** An object or list takes this many bytes of text or more, on average, in every body that says something. */
const BYTES_EACH = 8;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LIST = 0x5b;
const OBJECT = 0x7b;

/**
 * Whether a JSON text is little else than brackets: to read fifty megabytes of `{},{},…` takes more than a gigabyte and
 * many seconds, in which nobody else is answered.
 */
export function isHollow(text: Uint8Array): boolean {
  const { length } = text;
  if (length < ANY_BYTES) return false;
  let left = Math.floor(length / BYTES_EACH);
  let inString = false;
  for (let at = 0; at < length; at++) {
    const byte = text[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if ((byte === LIST || byte === OBJECT) && --left < 0) return true;
  }
  return false;
}
