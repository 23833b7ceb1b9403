import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Writes an authority (`ca`), a certificate of it for `localhost` (`server`), and another authority (`other`). */
export async function certificates(folder: string): Promise<void> {
  const openssl = (...args: string[]): Promise<unknown> => run('openssl', args, { cwd: folder });
  const key = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  await openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-subj', '/CN=Test authority');
  await openssl('req', '-x509', ...key, '-keyout', 'other.key', '-out', 'other.crt', '-subj', '/CN=Another authority');
  await openssl(
    'req',
    ...key.slice(0, 3),
    '-keyout',
    'server.key',
    '-out',
    'server.csr',
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
  );
  await openssl(
    'x509',
    '-req',
    '-in',
    'server.csr',
    '-CA',
    'ca.crt',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-days',
    '2',
    '-copy_extensions',
    'copy',
    '-out',
    'server.crt',
  );
}
