// Runs programs of the benchmark as separate processes and calls them by messages.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const STOP_TIMEOUT_MS = 5_000;

/**
 * Starts `programs/<name>.mjs`.
 *
 * @param {string} name
 * @returns {{call: (method: string, parameters?: object) => Promise<any>, stop: () => Promise<void>}} `call` rejects
 *   with the program's error, or if the program exits before it responds
 */
export function startProgram(name) {
  const child = fork(fileURLToPath(new URL(`./programs/${name}.mjs`, import.meta.url)), {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waiting = new Map();
  let lastId = 0;
  child.on('message', ({ id, result, error }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(`${name}: ${error}`));
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  void ended.then((code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${name} ended with exit code ${code}.`));
    waiting.clear();
  });
  return {
    call: (method, parameters = {}) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        child.send({ id: lastId, method, parameters }, (error) => error && reject(error));
      }),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * The program's side: responds to calls with the results of the methods, and exits with its parent.
 *
 * @param {Record<string, (parameters: any) => unknown>} methods
 */
export function serveCalls(methods) {
  process.on('message', ({ id, method, parameters }) => {
    Promise.resolve()
      .then(() => methods[method](parameters))
      .then(
        (result) => process.send({ id, result }),
        (error) => process.send({ id, error: error.stack ?? String(error) }),
      );
  });
  process.on('disconnect', () => process.exit(0));
}
