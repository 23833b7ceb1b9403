import { randomUUID } from 'node:crypto';
import { nkeys } from '@nats-io/transport-node';

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** Limits of an account: none. */
const UNLIMITED = Object.fromEntries(
  'subs data payload imports exports conn leaf mem_storage disk_storage streams consumer'
    .split(' ')
    .map((name) => [name, -1]),
);

/** An operator with accounts, as `nsc` creates them. */
export interface NatsOperator {
  /** What the server's configuration needs. */
  readonly configuration: string;
  /** Content of the credentials file of a user with JetStream. */
  readonly credentials: string;
}

export function createOperator(): NatsOperator {
  const operator = nkeys.createOperator();
  const system = nkeys.createAccount();
  const account = nkeys.createAccount();
  const user = nkeys.createUser();
  const limits = { ...UNLIMITED, wildcards: true };
  const operatorToken = token(operator, operator, 'operator', { system_account: system.getPublicKey() });
  const accounts = [system, account].map((one) => {
    return `${one.getPublicKey()}: ${token(operator, one, 'account', { limits: one === account ? limits : {} })}`;
  });
  const userToken = token(account, user, 'user', { subs: -1, data: -1, payload: -1 });
  const seed = new TextDecoder().decode(user.getSeed());
  return {
    configuration: `operator: ${operatorToken}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload: { ${accounts.join(', ')} }`,
    credentials: `-----BEGIN NATS USER JWT-----
${userToken}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${seed}
------END USER NKEY SEED------
`,
  };
}

/** A JSON web token of version 2. https://docs.nats.io/running-a-nats-service/nats_admin/security/jwt */
function token(issuer: KeyPair, subject: KeyPair, type: string, content: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    jti: randomUUID(),
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    name: type,
    sub: subject.getPublicKey(),
    nats: { ...content, type, version: 2 },
  };
  const signed = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(claims)}`;
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`;
}
