import { randomBytes } from 'node:crypto';
import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';

/**
 * A cookie that tells which agent a request or stream comes from. The streams of `cvat-cli` do not name their agent, but it
 * keeps the cookies of the response to its first request, which reads the function.
 */
const NAME = 'agentclient';
const VALUE = /^[\w-]{22}$/;

/** @returns null if the client does not send the cookie */
export function clientOf(request: Request): string | null {
  const { cookie } = request.headers;
  const value = cookie?.includes(NAME) === true ? (parseCookie(cookie)[NAME] ?? '') : '';
  return VALUE.test(value) ? value : null;
}

/** Sets the cookie in a response to the official client. */
export function nameClient(request: Request, response: Response): void {
  if (!request.headers['user-agent']?.startsWith('cvat_cli/') || clientOf(request) !== null) return;
  const value = randomBytes(16).toString('base64url');
  response.appendHeader('Set-Cookie', `${NAME}=${value}; HttpOnly; Path=/; SameSite=Lax`);
}
