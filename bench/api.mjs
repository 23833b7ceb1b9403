// Sends one API call at a time, for seeding and checking. programs/client.mjs generates load.

import { ADMIN } from './server.mjs';

const TIMEOUT_MS = 120_000;

/**
 * Logs in, by default as the administrator.
 *
 * @param {string} url of the server
 * @param {{username: string, password: string}} [account]
 */
export async function logIn(url, account = ADMIN) {
  const headers = { Accept: 'application/vnd.cvat+json; version=2.1', 'Content-Type': 'application/json' };
  const call = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text() };
  };
  const json = async (method, path, body) => {
    const { status, text } = await call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text.slice(0, 300)}`);
    return text === '' ? null : JSON.parse(text);
  };
  const { key } = await json('POST', '/api/auth/login', account);
  headers['Authorization'] = `Token ${key}`;
  return {
    url,
    headers,
    call,
    get: (path) => json('GET', path),
    post: (path, body) => json('POST', path, body),
    patch: (path, body) => json('PATCH', path, body),
    delete: (path) => json('DELETE', path),
    /** Whether the server supports this path, since parts of the API may be missing. */
    serves: async (path) => (await call('OPTIONS', path)).status !== 404,
  };
}

/** @returns a function that sends API requests as the administrator, as `createTask` of the browser tests takes it; `key` is the token */
export async function caller(url) {
  const { headers } = await logIn(url);
  const call = async (method, path, body) => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  return Object.assign(call, { key: headers['Authorization'].replace('Token ', '') });
}
