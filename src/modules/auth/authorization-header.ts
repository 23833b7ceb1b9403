import { Unauthenticated } from '../../core/http/errors.js';

/** What an `Authorization` header says, as far as it is understood here. */
export type Shown =
  | { readonly scheme: 'token' | 'bearer'; readonly value: string }
  | { readonly scheme: 'basic'; readonly name: string; readonly password: string };

/**
 * Reads an `Authorization` header. @returns null without one and for unknown schemes
 * @throws Unauthenticated for a known scheme in a wrong form
 */
export function readAuthorization(header: string | undefined): Shown | null {
  const [scheme = '', ...rest] = (header ?? '').trim().split(/\s+/);
  const kind = scheme.toLowerCase();
  if (kind === 'token' || kind === 'bearer') return { scheme: kind, value: onlyPart(rest, 'token', 'Token') };
  if (kind === 'basic') return { scheme: 'basic', ...readBasic(onlyPart(rest, 'basic', 'Credentials')) };
  return null;
}

function onlyPart(parts: readonly string[], header: string, content: string): string {
  const [value, ...more] = parts;
  if (value === undefined) throw new Unauthenticated(`Invalid ${header} header. No credentials provided.`);
  if (more.length > 0)
    throw new Unauthenticated(`Invalid ${header} header. ${content} string should not contain spaces.`);
  return value;
}

function readBasic(text: string): { name: string; password: string } {
  const letters = text.replace(/[^A-Za-z0-9+/]/g, '');
  const padding = text.length - text.replace(/=+$/, '').length;
  if (letters.length % 4 === 1 || (letters.length % 4 !== 0 && padding < 4 - (letters.length % 4))) {
    throw new Unauthenticated('Invalid basic header. Credentials not correctly base64 encoded.');
  }
  const credentials = decode(Buffer.from(letters, 'base64'));
  const colon = credentials.indexOf(':');
  return colon < 0
    ? { name: credentials, password: '' }
    : { name: credentials.slice(0, colon), password: credentials.slice(colon + 1) };
}

/** UTF-8, or Latin-1 when it is not. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
