import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A email as received over the wire. */
export interface ReceivedEmail {
  readonly from: string;
  readonly to: readonly string[];
  /** The message with folded lines joined. */
  readonly message: string;
}

/** A mail server on the loopback interface that returns received emails. */
export async function createMailServer() {
  const emails: ReceivedEmail[] = [];
  const arrivals: ((email: ReceivedEmail) => void)[] = [];
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
        const email = { from, to, message: source.replaceAll('=\r\n', '').replaceAll('=3D', '=') };
        const waiting = arrivals.shift();
        if (waiting === undefined) emails.push(email);
        else waiting(email);
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
    next(): Promise<ReceivedEmail> {
      const email = emails.shift();
      return email === undefined ? new Promise((resolve) => arrivals.push(resolve)) : Promise.resolve(email);
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
