import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const GOOD = {
  username: 'goldie',
  first_name: 'G',
  last_name: 'O',
  email: 'goldie@example.org',
  password1: 'Gold-2026-pass',
  password2: 'Gold-2026-pass',
  confirmations: [],
};
const TAKEN = 'A user is already registered with this e-mail address.';

describe('registering', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  const register = (body: object) => app.http.post('/api/auth/register').send(body);

  it('creates an account and logs in', async () => {
    const answer = await register(GOOD);
    expect(answer.status).toBe(201);
    expect(JSON.stringify(answer.body)).toBe(
      JSON.stringify({
        username: 'goldie',
        email: 'goldie@example.org',
        first_name: 'G',
        last_name: 'O',
        email_verification_required: false,
        key: answer.body.key,
      }),
    );
    expect((answer.get('Set-Cookie') ?? []).map((cookie) => cookie.split('=')[0])).toEqual([
      'csrftoken',
      'sessionfresh',
      'sessionid',
    ]);
    const self = await app.http.get('/api/users/self').set('Authorization', `Token ${answer.body.key}`);
    expect(self.body).toMatchObject({
      groups: ['user'],
      is_staff: false,
      is_active: true,
      has_analytics_access: false,
    });
    expect(self.body.last_login).not.toBeNull();
  });

  it.each([
    [{ username: 'GOLDIE', email: 'b@example.org' }, { username: ['A user with that username already exists.'] }],
    [{ username: 'goIdie', email: 'b@example.org' }, { username: ['A user with that username already exists.'] }],
    [{ username: 'g0ldie', email: 'b@example.org' }, { username: ['A user with that username already exists.'] }],
    [
      { username: 'g\u043eldie', email: 'b@example.org' }, // Cyrillic
      { username: ['A user with that username already exists.'] },
    ],
    [{ username: 'four' }, { username: ['Ensure this field has at least 5 characters.'] }],
    [
      { username: 'a b c d e' },
      { username: ['Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.'] },
    ],
    [{ username: 'goldie2', email: 'GOLDIE@example.org' }, [TAKEN]],
    [{ username: 'goldie2', email: '' }, { email: ['This field may not be blank.'] }],
    [
      { username: 'goldie2', email: 'g2@example.org', password2: 'x' },
      { non_field_errors: ["The two password fields didn't match."] },
    ],
  ])('refuses %j', async (change, error) => {
    const answer = await register({ ...GOOD, ...change });
    expect([answer.status, answer.body]).toEqual([400, error]);
  });

  it('reports all invalid fields at once', async () => {
    const answer = await register({ username: 'goldie', email: 'bad', password1: 'x', password2: 'y' });
    expect(answer.body).toEqual({
      username: ['A user with that username already exists.'],
      email: ['Enter a valid email address.'],
      password1: ['This password is too short. It must contain at least 8 characters.', 'This password is too common.'],
    });
    expect((await register({})).body).toEqual(
      Object.fromEntries(
        ['username', 'email', 'password1', 'password2'].map((name) => [name, ['This field is required.']]),
      ),
    );
  });

  it('refuses a password that repeats the name', async () => {
    const answer = await register({
      ...GOOD,
      username: 'annotator',
      email: 'an@example.org',
      password1: 'annotator1',
      password2: 'annotator1',
    });
    expect(answer.body).toEqual({ non_field_errors: ['The password is too similar to the username.'] });
  });

  it('accepts an address at the host itself', async () => {
    expect((await register({ ...GOOD, username: 'homely', email: 'homely@localhost' })).status).toBe(201);
    expect((await register({ ...GOOD, username: 'homely2', email: 'homely@localhosts' })).status).toBe(400);
  });

  it('truncates long names but returns them as sent', async () => {
    const answer = await register({
      ...GOOD,
      username: 'longname',
      email: 'long@example.org',
      first_name: 'x'.repeat(200),
    });
    expect(answer.body.first_name).toHaveLength(200);
    const self = await app.http.get('/api/users/self').set('Authorization', `Token ${answer.body.key}`);
    expect(self.body.first_name).toHaveLength(150);
  });

  it('completes the account of an invited person', async () => {
    const [row] = await app.db.query<{ id: number }>(sql`
      insert into app_user (username, email, password, groups, date_joined)
      values ('new@example.org', 'new@example.org', '!x', '{user}', now()) returning id`);
    const answer = await register({ ...GOOD, username: 'newcomer', email: 'New@example.org' });
    expect(answer.status).toBe(201);
    const self = await app.http.get('/api/users/self').set('Authorization', `Token ${answer.body.key}`);
    expect(self.body).toMatchObject({ id: row?.id, username: 'newcomer' });
    expect((await register({ ...GOOD, username: 'newcomer2', email: 'New@example.org' })).body).toEqual([TAKEN]);
  });

  it('refuses one of two concurrent registrations with the same name', async () => {
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((name) => register({ ...GOOD, username: 'racing', email: `${name}@example.org` })),
    );
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 400, 400]);
  });
});
