import { setFlagsFromString } from 'node:v8';

/** What every process of Cairn sets before it does anything else. */
export function prepareProcess(): void {
  // By default, hundreds of megabytes of garbage gather before a process of this size collects them.
  setFlagsFromString('--heap-growing-percent=100');
  // Stored data (images, exports, keys) is accessible to this user only.
  process.umask(0o077);
}

/** Says why the process cannot go on, and ends it. */
export async function endWithError(error: unknown): Promise<never> {
  // Loaded only now: it knows the errors of all parts of a start.
  const { hasUserMessage } = await import('./start-problem.js');
  if (hasUserMessage(error)) {
    process.stderr.write(`cairn: ${error.message}\n`);
  } else {
    // For unknown errors, standard error gets one sentence and the log gets the details.
    process.stderr.write(`cairn: unexpected error: ${error instanceof Error ? error.message : String(error)}\n`);
    const { readConfig } = await import('./config/env.js');
    const { plainLogger } = await import('./core/logging/plain-logger.js');
    plainLogger(readConfig({}).logLevel).debug({ err: error }, 'unexpected error');
  }
  process.exit(1);
}
