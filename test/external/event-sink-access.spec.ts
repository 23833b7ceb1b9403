import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { nkeys } from '@nats-io/transport-node';
import { freePort } from '../../tools/free-port.mjs';
import { checkEventSink } from '../../src/commands/doctor/event-sink-check.js';
import { readConfig } from '../../src/config/env.js';
import { openBroker } from '../../src/engines/event-broker/open-broker.js';
import { certificates } from './support/certificates.js';
import { createOperator } from './support/nats-accounts.js';
import { describeWith, type Program, startProgram } from './support/programs.js';

const MESSAGE = { id: '1', key: 'job/1', topic: 'job.update', body: '{}' };

/** Connects as a server with this setting does, and publishes a message. @returns what went wrong; null: nothing */
async function publish(url: string): Promise<string | null> {
  const { target } = readConfig({ EVENT_SINK: url }).eventSink;
  if (target === null) throw new Error('EVENT_SINK is empty');
  try {
    const broker = await openBroker(target, 'cairn-test');
    try {
      await broker.create();
      const { stored, error } = await broker.publish([MESSAGE]);
      return stored.length === 1 ? null : String(error?.message);
    } finally {
      await broker.close();
    }
  } catch (error) {
    return (error as Error).message;
  }
}

const doctorSays = async (url: string): Promise<string> => {
  const [finding] = await checkEventSink(readConfig({ EVENT_SINK: url }));
  return `${finding?.state}: ${finding?.text}`;
};

describeWith(['nats-server', 'openssl'], 'a login at NATS', () => {
  let folder: string;
  const servers: Program[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-nats-access-'));
    await certificates(folder);
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** @returns the port */
  async function start(configuration: string, jetStream = true): Promise<number> {
    const name = join(folder, `${servers.length}`);
    const storage = jetStream ? `jetstream { store_dir: "${name}.data" }\n` : '';
    await writeFile(`${name}.conf`, `${storage}${configuration}`);
    const server = await startProgram('nats-server', (port) => [
      '-c',
      `${name}.conf`,
      '-a',
      '127.0.0.1',
      '-p',
      `${port}`,
    ]);
    servers.push(server);
    return server.port;
  }

  const tlsOf = (more = ''): string =>
    `tls { cert_file: "${folder}/server.crt", key_file: "${folder}/server.key", ca_file: "${folder}/ca.crt" ${more} }`;

  it('works with a user name and a password', async () => {
    const port = await start('authorization { user: cairn, password: "p@ss" }');
    expect(await publish(`nats://cairn:p%40ss@127.0.0.1:${port}`)).toBeNull();
    expect(await publish(`nats://cairn:wrong@127.0.0.1:${port}`)).toMatch(/authorization/i);
    expect(await publish(`nats://127.0.0.1:${port}`)).toMatch(/authorization/i);
  });

  it('works with a token', async () => {
    const port = await start('authorization { token: "s3cret/token" }');
    expect(await publish(`nats://s3cret%2Ftoken@127.0.0.1:${port}`)).toBeNull();
    expect(await publish(`nats://another@127.0.0.1:${port}`)).toMatch(/authorization/i);
  });

  it('works with the seed of a key pair', async () => {
    const [user, other] = [nkeys.createUser(), nkeys.createUser()];
    const port = await start(`authorization { users: [{ nkey: ${user.getPublicKey()} }] }`);
    await writeFile(join(folder, 'user.nk'), `# of nk\n${new TextDecoder().decode(user.getSeed())}\n`);
    await writeFile(join(folder, 'other.nk'), other.getSeed());
    expect(await publish(`nats://127.0.0.1:${port}?nkey=${folder}/user.nk`)).toBeNull();
    expect(await publish(`nats://127.0.0.1:${port}?nkey=${folder}/other.nk`)).toMatch(/authorization/i);
  });

  it('works with a credentials file', async () => {
    const { configuration, credentials } = createOperator();
    const port = await start(configuration);
    await writeFile(join(folder, 'user.creds'), credentials);
    await writeFile(join(folder, 'other.creds'), createOperator().credentials);
    expect(await publish(`nats://127.0.0.1:${port}?credentials=${folder}/user.creds`)).toBeNull();
    expect(await publish(`nats://127.0.0.1:${port}?credentials=${folder}/other.creds`)).toMatch(/authorization/i);
  });

  it('works over TLS, with and without a client certificate', async () => {
    const authority = `ca=${folder}/ca.crt`;
    const port = await start(`authorization { user: cairn, password: secret }\n${tlsOf()}`);
    expect(await publish(`tls://cairn:secret@localhost:${port}?${authority}`)).toBeNull();
    expect(await publish(`tls://cairn:secret@localhost:${port}?ca=${folder}/other.crt`)).toMatch(
      /certificate|self.signed/i,
    );
    expect(await publish(`tls://cairn:secret@localhost:${port}`)).toMatch(/certificate|self.signed/i);
    const strict = await start(tlsOf(', verify: true'));
    const own = `cert=${folder}/server.crt&key=${folder}/server.key`;
    expect(await publish(`tls://localhost:${strict}?${authority}&${own}`)).toBeNull();
    expect(await publish(`tls://localhost:${strict}?${authority}`)).not.toBeNull();
  });

  it('does not send a password over a connection without TLS if TLS is required', async () => {
    const port = await start('authorization { user: cairn, password: secret }');
    expect(await publish(`tls://cairn:secret@127.0.0.1:${port}`)).toMatch(/tls|secure/i);
  });

  it('reports a server without JetStream', async () => {
    const port = await start('', false);
    const text =
      'JetStream is switched off at the server. Start nats-server with -js, or add "jetstream {}" to its configuration.';
    expect(await publish(`nats://127.0.0.1:${port}`)).toBe(text);
    expect(await doctorSays(`nats://127.0.0.1:${port}`)).toBe(`error: 127.0.0.1:${port} cannot be used: ${text}`);
  });

  it('reports a file that does not exist', async () => {
    const text = `The file ${folder}/no.crt, which ca of EVENT_SINK names, does not exist.`;
    expect(await doctorSays(`tls://127.0.0.1:1?ca=${folder}/no.crt`)).toContain(text);
  });
});

// Not in CI: installing and starting Kafka takes too long.
if (process.env['CAIRN_TEST_LONG'] === '1') {
  describeWith(['kafka-server', 'openssl'], 'a login at Kafka', () => {
    let folder: string;
    let server: Program;
    /** Listens without SASL, and demands a client certificate. */
    let certificatePort: number;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'cairn-kafka-access-'));
      await certificates(folder);
      const pair = ['server.key', 'server.crt'].map((name) => readFile(join(folder, name), 'utf8'));
      await writeFile(join(folder, 'server.pem'), (await Promise.all(pair)).join(''));
      certificatePort = await freePort();
      const [port, inner, controller] = [await freePort(), await freePort(), await freePort()];
      await writeFile(
        join(folder, 'more.properties'),
        kafkaProperties(folder, [port, certificatePort, inner, controller]),
      );
      const scram = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].map((name) => `${name}=[name=ann,password=p@ss]`);
      const args = [folder, ...scram.flatMap((one) => ['--add-scram', one])];
      server = await startProgram('kafka-server', () => [`${port}`, ...args], { port, startMs: 180_000 });
    }, 200_000);
    afterAll(async () => {
      await server?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const url = (login: string, parameters: string, port = server.port): string =>
      `kafka+ssl://${login}localhost:${port}/cairn?ca=${folder}/ca.crt${parameters}`;

    it.each(['plain', 'scram-sha-256', 'scram-sha-512'])('works over TLS with SASL %s', async (sasl) => {
      expect(await publish(url('ann:p%40ss@', `&sasl=${sasl}`))).toBeNull();
      expect(await publish(url('ann:wrong@', `&sasl=${sasl}`))).toMatch(/authentication/i);
    });

    it('works with a client certificate', async () => {
      const own = `&cert=${folder}/server.crt&key=${folder}/server.key`;
      expect(await publish(url('', own, certificatePort))).toBeNull();
      expect(await publish(url('', '', certificatePort))).not.toBeNull();
    });

    it('refuses the certificate of an unknown authority', async () => {
      expect(await publish(`kafka+ssl://ann:p%40ss@localhost:${server.port}`)).toMatch(/certificate|self.signed/i);
    });
  });
}

function kafkaProperties(folder: string, [port, certificatePort, inner, controller]: readonly number[]): string {
  const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule required user_ann="p@ss";';
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
  return `
listeners=SASL_SSL://localhost:${port},SSL://localhost:${certificatePort},PLAINTEXT://localhost:${inner},CONTROLLER://127.0.0.1:${controller}
controller.quorum.voters=1@127.0.0.1:${controller}
listener.security.protocol.map=SASL_SSL:SASL_SSL,SSL:SSL,PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.sasl_ssl.plain.sasl.jaas.config=${plain}
listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config=${scram}
listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=${scram}
listener.name.ssl.ssl.client.auth=required
ssl.keystore.type=PEM
ssl.keystore.location=${folder}/server.pem
ssl.truststore.type=PEM
ssl.truststore.location=${folder}/ca.crt
`;
}
