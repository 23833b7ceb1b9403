import type { Caller } from '../call.js';
import { fresh, PASSWORD } from '../world.js';

const NEW_PASSWORD = { new_password1: 'Staple-battery-8', new_password2: 'Staple-battery-8' };

export const auth: Record<string, Caller> = {
  'GET /api/auth/access_tokens': async (world, actor) => {
    await world.token(actor);
    return { path: '/api/auth/access_tokens' };
  },
  'POST /api/auth/access_tokens': () => ({
    path: '/api/auth/access_tokens',
    body: { name: 'robot', expiry_date: '2100-01-01T00:00:00Z', read_only: true },
  }),
  'GET /api/auth/access_tokens/self': async (world, actor) => ({
    path: '/api/auth/access_tokens/self',
    headers: { Authorization: `Bearer ${(await world.token(actor)).value}` },
  }),
  'GET /api/auth/access_tokens/{id}': async (world, actor) => ({
    path: `/api/auth/access_tokens/${(await world.token(actor)).id}`,
  }),
  'PATCH /api/auth/access_tokens/{id}': async (world, actor) => ({
    path: `/api/auth/access_tokens/${(await world.token(actor)).id}`,
    body: { name: 'renamed' },
  }),
  'DELETE /api/auth/access_tokens/{id}': async (world, actor) => ({
    path: `/api/auth/access_tokens/${(await world.token(actor)).id}`,
  }),
  'GET /api/auth/account-confirm-email/{key}/': async (world) => ({
    path: `/api/auth/account-confirm-email/${await world.confirmationKey()}/`,
  }),
  'GET /api/auth/methods': () => ({ path: '/api/auth/methods' }),
  'POST /api/auth/login': async (world) => {
    const { username } = await world.personWithPassword();
    return [
      { path: '/api/auth/login', body: { username, password: PASSWORD } },
      { path: '/api/auth/login', body: { username, password: 'wrong' } },
    ];
  },
  'POST /api/auth/logout': async (world) => {
    const { token } = await world.given.person();
    return { path: '/api/auth/logout', headers: { Authorization: `Token ${token}` } };
  },
  'POST /api/auth/password/change': async (world) => {
    const { username } = await world.personWithPassword();
    const headers = { Authorization: `Basic ${btoa(`${username}:${PASSWORD}`)}` };
    const body = { ...NEW_PASSWORD, keep_access_tokens: true };
    return [
      { path: '/api/auth/password/change', headers, body: { ...body, old_password: 'wrong' } },
      { path: '/api/auth/password/change', headers, body: { ...body, old_password: PASSWORD } },
    ];
  },
  'POST /api/auth/password/reset': () => ({ path: '/api/auth/password/reset', body: { email: 'a@example.org' } }),
  'POST /api/auth/password/reset/confirm': async (world) => ({
    path: '/api/auth/password/reset/confirm',
    body: { ...NEW_PASSWORD, ...(await world.resetLink()) },
  }),
  'POST /api/auth/register': () => {
    const username = fresh('newcomer');
    const body = { username, email: `${username}@example.org`, password1: PASSWORD, password2: PASSWORD };
    return [
      { path: '/api/auth/register', body },
      { path: '/api/auth/register', body: { username: 'x' } },
    ];
  },
};
