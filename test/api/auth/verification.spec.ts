import { afterEach, describe, expect, it } from '@jest/globals';
import { Mailer, type Message } from '../../../src/core/mail/mailer.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given } from '../../support/given.js';

const PASSWORD = 'Gold-2026-pass';
const NEW = { new_password1: 'Staple-battery-8', new_password2: 'Staple-battery-8' };
const EMAIL = 'goldie@example.org';

describe('account settings of the server', () => {
  let app: TestApp;
  const emails: Message[] = [];

  const start = async (env: Record<string, string>): Promise<void> => {
    emails.length = 0;
    app = await createTestApp({ env });
    app.app.get(Mailer).send = (email) => void emails.push(email);
  };
  afterEach(() => app.close());

  const register = (more: object = {}) =>
    app.http
      .post('/api/auth/register')
      .send({ username: 'goldie', email: EMAIL, password1: PASSWORD, password2: PASSWORD, ...more });
  const logIn = () => app.http.post('/api/auth/login').send({ username: 'goldie', password: PASSWORD });
  const linkOf = (email: Message | undefined) => new URL(email?.path ?? '', 'http://h').searchParams;
  const confirm = (key: string) => app.http.get(`/api/auth/account-confirm-email/${encodeURIComponent(key)}/`);

  /** An open invitation to EMAIL, with the key of its e-mail. */
  async function invitation(email = EMAIL) {
    const given = new Given(app);
    const owner = await given.person();
    const { slug } = await given.organization(owner);
    const made = await owner.http.post(`/api/invitations?org=${slug}`).send({ email, role: 'maintainer' });
    return { owner, slug, made, key: linkOf(emails.at(-1)).get('key') ?? '' };
  }

  it('is required before the first login if mandatory', async () => {
    await start({ EMAIL_VERIFICATION: 'mandatory' });
    const made = await register();
    expect([made.status, made.get('Set-Cookie')]).toEqual([201, undefined]);
    expect(made.body).toMatchObject({ email_verification_required: true, key: null });
    const refused = await logIn();
    expect([refused.status, refused.text, refused.type]).toEqual([400, 'Unverified email', 'text/html']);
    const basic = await app.http.get('/api/users/self').auth('goldie', PASSWORD);
    expect([basic.status, basic.body]).toEqual([401, { detail: 'Unverified email' }]);
    expect((await app.http.post('/api/auth/login').send({ username: 'goldie', password: 'no' })).body).toEqual({
      non_field_errors: ['Unable to log in with provided credentials.'],
    });
    expect(emails.map(({ to }) => to)).toEqual([EMAIL, EMAIL]); // the login sends the link again
    const key = linkOf(emails[0]).get('key') ?? '';
    for (const wrong of [`${key}0`, key.replace(/^\w+/, '2'), 'x', '%00', '..']) {
      expect([wrong, (await confirm(wrong)).status]).toEqual([wrong, 404]);
    }
    const done = await confirm(key);
    expect([done.status, done.body]).toEqual([200, { detail: 'ok' }]);
    expect((await logIn()).status).toBe(200);
    expect((await app.http.get('/api/users/self').auth('goldie', PASSWORD)).status).toBe(200);
  });

  it('a link confirms only the address that it was sent to, for three days', async () => {
    await start({ EMAIL_VERIFICATION: 'mandatory' });
    await register();
    const key = linkOf(emails[0]).get('key') ?? '';
    const now = app.clock.now();
    app.clock.now = () => new Date(now.getTime() + 4 * 86_400_000);
    expect((await confirm(key)).status).toBe(404);
    app.clock.now = () => now;
    await app.db.query(sql`update app_user set email = 'other@example.org' where username = 'goldie'`);
    expect((await confirm(key)).status).toBe(404);
    expect((await logIn()).status).toBe(400);
  });

  it('sends few links, however often an unverified person logs in', async () => {
    await start({ EMAIL_VERIFICATION: 'mandatory' });
    await register();
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await logIn()).status).toBe(400);
    expect(emails).toHaveLength(3);
  });

  it('lets people log in whose address an administrator has set', async () => {
    await start({ EMAIL_VERIFICATION: 'mandatory' });
    await register();
    const admin = await new Given(app).admin();
    const { body } = await admin.http.get('/api/users?username=goldie');
    await admin.http.patch(`/api/users/${body.results[0].id}`).send({ email: 'right@example.org' }).expect(200);
    expect((await logIn()).status).toBe(200);
  });

  it('without a mail server, the link to confirm is in the log, for the administrator to pass on', async () => {
    const lines: string[] = [];
    const env = { EMAIL_VERIFICATION: 'mandatory', LOG_LEVEL: 'info' };
    app = await createTestApp({ env, log: { write: (line) => void lines.push(line) } });
    await register();
    const logged = lines
      .map((line) => JSON.parse(line) as { to?: string; link?: string })
      .find(({ to }) => to === EMAIL);
    expect((await logIn()).status).toBe(400);
    await confirm(new URL(logged?.link ?? '', 'http://h').searchParams.get('key') ?? '');
    expect((await logIn()).status).toBe(200);
  });

  it.each([
    ['a new password by e-mail verifies the address', { SMTP_HOST: '127.0.0.1', MAIL_FROM: 'cairn@example.org' }, 200],
    ['a new password with a link from the log does not verify the address', {}, 400],
  ])('%s', async (_, mail, status) => {
    await start({ EMAIL_VERIFICATION: 'mandatory', ...mail });
    await register();
    await app.http.post('/api/auth/password/reset').send({ email: EMAIL }).expect(200);
    const [uid, token] = ['uid', 'token'].map((name) => linkOf(emails.at(-1)).get(name));
    await app.http
      .post('/api/auth/password/reset/confirm')
      .send({ uid, token, ...NEW })
      .expect(200);
    const entered = await app.http.post('/api/auth/login').send({ username: 'goldie', password: NEW.new_password1 });
    expect(entered.status).toBe(status);
  });

  it('an optional verification sends the link and lets people log in; unverified people are invited by e-mail', async () => {
    await start({ EMAIL_VERIFICATION: 'optional' });
    const made = await register();
    expect(made.body).toMatchObject({ email_verification_required: false, key: expect.any(String) });
    const key = linkOf(emails[0]).get('key') ?? '';
    const header = { Authorization: `Token ${made.body.key}` };
    const count = async (path: string) => (await app.http.get(path).set(header)).body.count as number;
    await invitation();
    expect(emails.at(-1)?.path).toContain('/auth/register/invitation?');
    expect([await count('/api/organizations'), await count('/api/invitations')]).toEqual([0, 0]);
    expect((await confirm(key)).status).toBe(200);
    expect([await count('/api/organizations'), await count('/api/invitations')]).toEqual([0, 1]);
    await invitation();
    expect(await count('/api/organizations')).toBe(1);
  });

  it('a closed registration refuses everyone, and invitations of unknown people', async () => {
    await start({ REGISTRATION: 'closed' });
    const refused = await register();
    expect([refused.status, refused.body]).toEqual([
      403,
      { detail: 'Registration is closed on this server. Ask an administrator for an account.' },
    ]);
    const { made } = await invitation();
    expect([made.status, made.body]).toEqual([
      400,
      { email: ['There is no account with this e-mail address, and registration is closed on this server.'] },
    ]);
  });

  it('a registration by invitation accepts only the key of the invitation’s e-mail', async () => {
    await start({ REGISTRATION: 'invited' });
    expect((await register()).status).toBe(403);
    const { key, owner, slug } = await invitation();
    const other = await invitation('other@example.org');
    for (const invitation_key of [undefined, null, '', 'x', '\0', other.key]) {
      const refused = await register({ invitation_key });
      expect([invitation_key, refused.status >= 400]).toEqual([invitation_key, true]);
    }
    await app.db.query(sql`update invitation set sent_date = sent_date - interval '7 days' where key = ${key}`);
    expect((await register({ invitation_key: key })).body).toEqual({
      detail:
        'Registration on this server needs an invitation. Open the link in its e-mail, or ask for the invitation to be sent again.',
    });
    await owner.http.post(`/api/invitations/${key}/resend?org=${slug}`).expect(204);
    expect((await register({ invitation_key: key })).status).toBe(201);
  });

  it('accepts one of several concurrent registrations with the same address', async () => {
    await start({});
    const answers = await Promise.all(['anna1', 'anna2', 'anna3'].map((username) => register({ username })));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 400, 400]);
  });
});
