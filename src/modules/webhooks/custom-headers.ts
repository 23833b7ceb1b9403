import { Invalid } from '../../core/http/errors.js';

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const VALUE = /^[\x20-\x7e]{0,1000}$/;
const MAX_HEADERS = 20;
/** Made by the server or by HTTP itself. */
const RESERVED: readonly string[] = [
  'accept', 'accept-encoding', 'connection', 'content-encoding', 'content-length', 'content-type', 'expect', 'host',
  'keep-alive', 'proxy-connection', 'te', 'traceparent', 'tracestate', 'trailer', 'transfer-encoding', 'upgrade',
  'user-agent', 'x-signature-256',
]; // prettier-ignore

/** @throws Invalid for what is not an object of names and values that may be sent */
export function requireCustomHeaders(headers: unknown): void {
  const problem = problemOf(headers);
  if (problem !== undefined) throw new Invalid({ custom_headers: [problem] });
}

function problemOf(headers: unknown): string | undefined {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    return 'Expected an object of names and values.';
  const entries = Object.entries(headers) as [string, unknown][];
  if (entries.length > MAX_HEADERS) return `Ensure this field has no more than ${MAX_HEADERS} elements.`;
  const lower = entries.map(([name]) => name.toLowerCase());
  const twice = lower.find((name, index) => lower.indexOf(name) !== index);
  if (twice !== undefined) return `"${twice}" is there twice.`;
  for (const [name, value] of entries) {
    if (!NAME.test(name)) return `"${name.slice(0, 100)}" is not a name of a header.`;
    const reserved = RESERVED.includes(name.toLowerCase()) || name.toLowerCase().startsWith('webhook-');
    if (reserved) return `"${name}" is reserved.`;
    if (typeof value !== 'string' || !VALUE.test(value))
      return `The value of "${name}" must be a text of at most 1000 printable ASCII characters.`;
  }
  return undefined;
}
