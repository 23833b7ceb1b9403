import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Attribute, Change, Client } from 'ldapts';
import { freePort } from '../../../tools/free-port.mjs';
import { findProgram, type Program, startProgram } from './programs.js';

const run = promisify(execFile);

export const BASE = 'dc=example,dc=org';
export const READER = `cn=reader,${BASE}`;
export const READER_PASSWORD = 'reader-password';
const ROOT = `cn=root,${BASE}`;
const ROOT_PASSWORD = 'root-password';

/** A directory of OpenLDAP in a temporary folder. Only the reader can search, and passwords cannot be read. */
export interface LdapServer {
  readonly url: string;
  readonly secureUrl: string;
  /** The certificate of the authority that signed the server's. */
  readonly ca: string;
  add(dn: string, attributes: Readonly<Record<string, string | string[]>>): Promise<void>;
  /** @param changes new values; an empty list removes the attribute */
  change(dn: string, changes: Readonly<Record<string, string[]>>): Promise<void>;
  delete(dn: string): Promise<void>;
  /** Starts it again after `stop`, on the same ports. */
  start(): Promise<void>;
  stop(): Promise<void>;
  remove(): Promise<void>;
}

const configOf = (folder: string): string => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
TLSCertificateFile ${folder}/server.crt
TLSCertificateKeyFile ${folder}/server.key
database mdb
suffix "${BASE}"
rootdn "${ROOT}"
rootpw ${ROOT_PASSWORD}
directory ${folder}/database
access to attrs=userPassword by anonymous auth by * none
access to * by dn.exact="${READER}" read by * none
`;

/** Starts a directory with the base and the reader. */
export async function startLdap(): Promise<LdapServer> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-ldap-'));
  await mkdir(join(folder, 'database'));
  await writeFile(join(folder, 'slapd.conf'), configOf(folder));
  await createCertificates(folder);
  const [port, securePort] = [await freePort(), await freePort()];
  const [url, secureUrl] = [`ldap://127.0.0.1:${port}`, `ldaps://127.0.0.1:${securePort}`];
  const launch = (): Promise<Program> =>
    startProgram('slapd', () => ['-f', 'slapd.conf', '-h', `${url} ${secureUrl}`, '-d', '0'], { cwd: folder, port });
  let program = await launch();
  const asRoot = async <T>(use: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ url });
    await client.bind(ROOT, ROOT_PASSWORD);
    try {
      return await use(client);
    } finally {
      await client.unbind();
    }
  };
  const server: LdapServer = {
    url,
    secureUrl,
    ca: join(folder, 'ca.crt'),
    add: (dn, attributes) => asRoot((client) => client.add(dn, { ...attributes })),
    change: (dn, changes) =>
      asRoot((client) =>
        client.modify(
          dn,
          Object.entries(changes).map(
            ([type, values]) => new Change({ operation: 'replace', modification: new Attribute({ type, values }) }),
          ),
        ),
      ),
    delete: (dn) => asRoot((client) => client.del(dn)),
    async start() {
      program = await launch();
    },
    stop: () => program.stop(),
    async remove() {
      await program.stop();
      await rm(folder, { recursive: true });
    },
  };
  await server.add(BASE, { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' });
  const person = { objectClass: 'person', cn: 'reader', sn: 'Reader', userPassword: READER_PASSWORD };
  await server.add(READER, person);
  return server;
}

/** An authority, and the server's certificate for 127.0.0.1. */
async function createCertificates(folder: string): Promise<void> {
  const openssl = (...args: string[]): Promise<unknown> => run(findProgram('openssl') ?? '', args, { cwd: folder });
  const key = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  await openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=Test authority');
  await openssl('req', ...key.slice(0, 3), '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=127.0.0.1');
  await writeFile(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1');
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  await openssl('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.crt');
}
