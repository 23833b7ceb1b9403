import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given } from '../../support/given.js';

interface Arrival {
  readonly from: string;
  readonly to: readonly string[];
  /** Long lines are joined again. */
  readonly message: string;
}

/** A mail server on the loopback interface that hands out what arrives. */
async function createMailServer() {
  const letters: Arrival[] = [];
  const arrivals: ((letter: Arrival) => void)[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) =>
      done(username === 'cairn' && password === 'secret' ? null : new Error('wrong password'), { user: username }),
    onData(stream, { envelope }, done) {
      const receive = async (): Promise<void> => {
        const source = await text(stream);
        const from = envelope.mailFrom === false ? '' : (envelope.mailFrom?.address ?? '');
        const to = envelope.rcptTo.map(({ address }) => address);
        const letter = { from, to, message: source.replaceAll('=\r\n', '').replaceAll('=3D', '=') };
        const waiting = arrivals.shift();
        if (waiting === undefined) letters.push(letter);
        else waiting(letter);
        done();
      };
      void receive();
    },
  });
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    next(): Promise<Arrival> {
      const letter = letters.shift();
      return letter === undefined ? new Promise((resolve) => arrivals.push(resolve)) : Promise.resolve(letter);
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

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
