import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { createMailServer } from '../../support/mail-server.js';
import { Given } from '../../support/given.js';
import { createReceiver } from '../../support/receiver.js';

describe('letters through a mail server', () => {
  let mail: Awaited<ReturnType<typeof createMailServer>>;
  let app: TestApp;

  beforeEach(async () => {
    mail = await createMailServer();
    app = await createTestApp({
      env: {
        SMTP_HOST: '127.0.0.1',
        SMTP_PORT: String(mail.port),
        SMTP_USER: 'cairn',
        SMTP_PASSWORD: 'secret',
        PUBLIC_URL: 'https://cairn.example.org',
        MAIL_FROM: 'Cairn <cairn@example.org>',
      },
    });
  });

  afterEach(async () => {
    await app.close();
    await mail.close();
  });

  it('bring an invitation', async () => {
    const given = new Given(app);
    const owner = await given.person();
    const { slug } = await given.organization(owner);
    const invited = await owner.http
      .post(`/api/invitations?org=${slug}`)
      .send({ email: 'new@example.org', role: 'worker' });
    expect(invited.status).toBe(201);
    const letter = await mail.next();
    expect(letter).toMatchObject({ from: 'cairn@example.org', to: ['new@example.org'] });
    expect(letter.message).toContain(`Subject: Invitation to the organization ${slug}`);
    expect(letter.message).toContain('From: Cairn <cairn@example.org>');
    expect(letter.message).toContain(`/auth/register/invitation?email=new%40example.org&key=${invited.body.key}`);
  });

  it('bring the link to a new password', async () => {
    const person = await new Given(app).person({ email: 'anna@example.org' });
    await app.db.query(sql`update app_user set password = 'md5$a$b' where id = ${person.id}`);
    expect((await app.http.post('/api/auth/password/reset').send({ email: 'anna@example.org' })).status).toBe(200);
    const letter = await mail.next();
    expect(letter.to).toEqual(['anna@example.org']);
    expect(letter.message).toContain('/auth/password/reset/confirm?uid=');
  });

  it('say that a webhook was switched off, and why', async () => {
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
    const letter = await mail.next();
    expect(letter.to).toEqual(['owner@example.org']);
    expect(letter.message).toContain(`The webhook to ${new URL(receiver.url).host} was switched off`);
    expect(letter.message).toContain('the receiver answered 410: it is gone for good');
    expect(letter.message).toContain(`https://cairn.example.org/webhooks/${made.body.id}`);
    expect(letter.message).toContain('You get this letter because you own the webhook.');
    expect(letter.message).not.toContain('If you did not expect this letter');
    await receiver.close();
  });

  it('fail no request when there is no mail server', async () => {
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
