import { expect, it } from '@jest/globals';
import { readConfig } from './config/env.js';
import { DatabaseUnavailable } from './core/database/database-client.js';
import { StartError } from './start-error.js';
import { startProblem } from './start-problem.js';

const config = readConfig({ DATABASE_URL: 'postgres://cairn:secret@h1,h2/cairn' });

it.each([
  ['self-signed certificate in certificate chain', 'Set sslrootcert in the URL'],
  ["Hostname/IP does not match certificate's altnames", 'is for another host name'],
  ['certificate has expired', 'Renew its certificate'],
  ['The server does not support SSL connections', 'Switch on TLS there'],
  ['no pg_hba.conf entry for host "1.2.3.4", user "cairn", no encryption', 'Add sslmode=verify-full'],
  ['unsupported startup parameter: options', 'Set DATABASE_DIRECT_URL'],
  ['the server at h1:5432 accepts no writes: in_hot_standby is on', 'Use the URL of the primary'],
])('explains "%s"', (message, advice) => {
  const problem = startProblem(new DatabaseUnavailable(new Error(message)), config) as Error;
  expect(problem).toBeInstanceOf(StartError);
  expect(problem.message).toContain(`(postgres://cairn@h1,h2/cairn) cannot be used: ${message}. `);
  expect(problem.message).toContain(advice);
});
