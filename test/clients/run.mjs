// Drives a running server with the official Python clients (cvat-sdk and cvat-cli), unpatched.
//
//   npm run test:clients                      builds if necessary, starts a temporary server, runs all tests
//   npm run test:clients -- -k webhook        passes further arguments to pytest
//   CAIRN_URL=… CAIRN_USERNAME=… CAIRN_PASSWORD=… npm run test:clients       uses a running server
//                                             (on this computer, with WEBHOOK_ALLOW_PRIVATE=true, REMOTE_ALLOW_PRIVATE=true; an administrator)

import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../tools/free-port.mjs';
import { startTemporaryServer } from '../../tools/temporary-server.mjs';
import { ensureClients, oldClients } from './python.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const RUN_TIMEOUT_MS = 15 * 60_000;

async function main() {
  const python = ensureClients(here);
  if (process.env.CAIRN_URL) return runPytest(python, {});

  // Where a test can run functions that the server calls.
  const functionsPort = await freePort();
  const settings = {
    REMOTE_ALLOW_PRIVATE: 'true',
    FUNCTIONS_URLS: `http://127.0.0.1:${functionsPort}`,
    AGENT_LEASE_SECONDS: '10',
  };
  const server = await startTemporaryServer({ settings });
  console.log(`Server under test: ${server.url}`);
  let code = 1;
  try {
    code = await runPytest(python, {
      CAIRN_URL: server.url,
      CAIRN_USERNAME: server.username,
      CAIRN_PASSWORD: server.password,
      CAIRN_FUNCTIONS_PORT: String(functionsPort),
      CAIRN_AGENT_LEASE: settings.AGENT_LEASE_SECONDS,
    });
    if (code !== 0) console.error(`\nThe end of the server's log:\n${await server.logTail()}`);
  } finally {
    await server.stop();
  }
  return code;
}

/** @returns {Promise<number>} pytest's exit code; 1 if it had to be stopped */
function runPytest(python, env) {
  const child = spawn(python, ['-m', 'pytest', ...process.argv.slice(2)], {
    cwd: here,
    env: { ...process.env, OLD_CLIENTS: oldClients(here), ...env, PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' },
    stdio: 'inherit',
  });
  const timer = setTimeout(() => {
    console.error(`The tests took longer than ${RUN_TIMEOUT_MS / 60_000} minutes and were ended.`);
    child.kill('SIGKILL');
  }, RUN_TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  }).finally(() => clearTimeout(timer));
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
