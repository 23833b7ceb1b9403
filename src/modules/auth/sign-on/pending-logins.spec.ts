import { describe, expect, it } from '@jest/globals';
import { pagePath } from './pending-logins.js';

describe('the page after a login', () => {
  it.each(['/', '/tasks/5', '/tasks?page=2&sort=name#top', '/jobs/1?frame=3', '/apiary'])('can be %s', (path) => {
    expect(pagePath(path)).toBe(path);
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/..//evil.example',
    '/.//evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    'tasks',
    '',
    '/api/auth/oidc/login',
    '/API/auth/oidc/login',
    '/tasks/../api/auth/oidc/login',
    '/%2e/api/auth/oidc/login',
    '/./api',
    undefined,
    ['/tasks'],
  ])('is the start page instead of %j', (path) => {
    expect(pagePath(path)).toBe('/');
  });
});
