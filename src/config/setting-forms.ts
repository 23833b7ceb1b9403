import { isIP } from 'node:net';

const NAMED_PROXIES = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** `loopback`, an address, or a range like `10.0.0.0/8` or `10.0.0.0/255.0.0.0`. */
export function isProxy(text: string): boolean {
  if (NAMED_PROXIES.has(text)) return true;
  const [address = '', range, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (range === undefined) return true;
  if (/^\d+$/.test(range)) return Number(range) <= (family === 4 ? 32 : 128);
  return family === 4 && isIP(range) === 4;
}

/** `https://tools.example.org:8443`, or `https://*.example.org` for every host below it. */
export function isOriginPattern(text: string): boolean {
  const origin = text.replace('://*.', '://');
  return /^https?:\/\/[^/?#@*]+\/?$/i.test(origin) && URL.canParse(origin);
}

/** An address alone, or after a display name: `Cairn <cairn@example.org>`. */
export const isEmailAddress = (text: string): boolean => /[^\s@<>]@[^\s@<>]/.test(text);

/** The rule of the API for user names. */
export const isUsername = (text: string): boolean => /^[\p{L}\p{N}_.@+-]{1,150}$/u.test(text);
