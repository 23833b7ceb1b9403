import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { createMailServer } from '../../support/mail-server.js';
import { Given } from '../../support/given.js';
import { createReceiver } from '../../support/receiver.js';

const SMTP = {
  SMTP_HOST: '127.0.0.1',
  SMTP_USER: 'cairn',
  SMTP_PASSWORD: 'secret',
  MAIL_FROM: 'Cairn <cairn@example.org>',
};

describe('emails through a mail server', () => {
  let mail: Awaited<ReturnType<typeof createMailServer>>;
  let app: TestApp;

  beforeEach(async () => {
    mail = await createMailServer();
    app = await createTestApp({
      env: {
        ...SMTP,
        SMTP_PORT: String(mail.port),
        PUBLIC_URL: 'https://cairn.example.org',
      },
    });
  });

  afterEach(async () => {
    await app.close();
    await mail.close();
  });

  it('contain an invitation', async () => {
    const given = new Given(app);
    const owner = await given.person();
    const { slug } = await given.organization(owner);
    const invited = await owner.http
      .post(`/api/invitations?org=${slug}`)
      .send({ email: 'new@example.org', role: 'worker' });
    expect(invited.status).toBe(201);
    const email = await mail.next();
    expect(email).toMatchObject({ from: 'cairn@example.org', to: ['new@example.org'] });
    expect(email.message).toContain(`Subject: Invitation to the organization ${slug}`);
    expect(email.message).toContain('From: Cairn <cairn@example.org>');
    expect(email.message).toContain(`/auth/register/invitation?email=new%40example.org&key=${invited.body.key}`);
  });

  it('contain the link to set the password of a new account', async () => {
    const admin = await new Given(app).admin();
    const { body } = await admin.http.post('/api/users').send({ username: 'mailed', email: 'mailed@example.org' });
    expect(body.password_link).toMatchObject({ link: null, sent_to: 'mailed@example.org' });
    const { message } = await mail.next();
    expect(message).toContain('Subject: Set your password');
    expect(message).toContain('https://cairn.example.org/auth/password/reset/confirm?uid=');
    const shown = await admin.http.post(`/api/users/${body.id}/password_reset`).send({ show_link: true });
    expect(shown.body.link).toContain('https://cairn.example.org/auth/password/reset/confirm?uid=');
  });

  it('contain the link for resetting a password', async () => {
    const person = await new Given(app).person({ email: 'anna@example.org' });
    await app.db.query(sql`update app_user set password = 'md5$a$b' where id = ${person.id}`);
    expect((await app.http.post('/api/auth/password/reset').send({ email: 'anna@example.org' })).status).toBe(200);
    const email = await mail.next();
    expect(email.to).toEqual(['anna@example.org']);
    expect(email.message).toContain('/auth/password/reset/confirm?uid=');
  });

  it.each([
    ['PUBLIC_URL', { PUBLIC_URL: 'https://cairn.example.org' }, 'https://cairn.example.org'],
    ['the address the server listens on', { PUBLIC_URL: '', PORT: '8765' }, 'http://127.0.0.1:8765'],
  ])('have links that begin with %s, regardless of the host in the request', async (_, env, base) => {
    await app.close();
    app = await createTestApp({ env: { ...SMTP, SMTP_PORT: String(mail.port), ...env } });
    const given = new Given(app);
    const person = await given.person({ email: 'anna@example.org' });
    await app.db.query(sql`update app_user set password = 'md5$a$b' where id = ${person.id}`);
    const forged = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' };
    await app.http.post('/api/auth/password/reset').set(forged).send({ email: 'anna@example.org' }).expect(200);
    const reset = await mail.next();
    expect(reset.message).toContain(`${base}/auth/password/reset/confirm?uid=`);
    const { slug } = await given.organization(person);
    const invite = person.http.post(`/api/invitations?org=${slug}`).set(forged);
    await invite.send({ email: 'new@example.org', role: 'worker' }).expect(201);
    const invitation = await mail.next();
    expect(invitation.message).toContain(`${base}/auth/register/invitation?`);
    expect(reset.message + invitation.message).not.toContain('evil');
  });

  it('are not sent while no public URL is configured, and the log names the setting', async () => {
    await app.close();
    const lines: string[] = [];
    const log = { write: (line: string) => void lines.push(line) };
    const env = { ...SMTP, SMTP_PORT: String(mail.port), HOST: '0.0.0.0', PUBLIC_URL: '', LOG_LEVEL: 'error' };
    app = await createTestApp({ env, log });
    const person = await new Given(app).person({ email: 'anna@example.org' });
    await app.db.query(sql`update app_user set password = 'md5$a$b' where id = ${person.id}`);
    await app.http.post('/api/auth/password/reset').send({ email: 'anna@example.org' }).expect(200);
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      '"Set a new password" was not sent: set PUBLIC_URL, which links in e-mails start with',
    ]);
    expect(lines.join('')).not.toContain('token=');
  });

  it('say that a webhook was disabled, and why', async () => {
    const receiver = await createReceiver();
    receiver.answerWith(410);
    const owner = await new Given(app).person({ email: 'owner@example.org' });
    const project = await owner.http.post('/api/projects').send({ name: 'seen' });
    const made = await owner.http
      .post('/api/webhooks')
      .send({ target_url: receiver.url, type: 'project', project_id: project.body.id, events: ['update:project'] });
    await owner.http.patch(`/api/projects/${project.body.id}`).send({ name: 'told' }).expect(200);
    await app.drain();
    await app.app.get(DeliveryWorker).runOnce();
    const email = await mail.next();
    expect(email.to).toEqual(['owner@example.org']);
    expect(email.message).toContain(`The webhook to ${new URL(receiver.url).host} was disabled`);
    expect(email.message).toContain('the receiver responded with 410: the URL no longer exists');
    expect(email.message).toContain(`https://cairn.example.org/webhooks/${made.body.id}`);
    expect(email.message).toContain('You receive this e-mail because you own the webhook.');
    expect(email.message).not.toContain('If you did not expect this e-mail');
    await receiver.close();
  });

  it('do not fail any request if the mail server is down', async () => {
    await mail.close();
    const given = new Given(app);
    const owner = await given.person();
    const { slug } = await given.organization(owner);
    const answer = await owner.http
      .post(`/api/invitations?org=${slug}`)
      .send({ email: 'new@example.org', role: 'worker' });
    expect(answer.status).toBe(201);
    mail = await createMailServer();
  });
});
