import { setFlagsFromString } from 'node:v8';
import dotenv from 'dotenv';
import { commandLine } from './commands/command-line.js';
import { readConfig } from './config/env.js';
import { createLogger } from './core/logging/logger.js';
import { hasUserMessage } from './start-error.js';

dotenv.config({ quiet: true });
// By default, hundreds of megabytes of garbage gather before a process of this size collects them.
setFlagsFromString('--heap-growing-percent=100');
// Stored data (images, exports, keys) is accessible to this user only.
process.umask(0o077);

commandLine(process.argv.slice(2))
  .parseAsync()
  .catch((error: unknown) => {
    if (hasUserMessage(error)) {
      process.stderr.write(`cairn: ${error.message}\n`);
    } else {
      // For unknown errors, standard error gets one sentence and the log gets the details.
      process.stderr.write(`cairn: unexpected error: ${error instanceof Error ? error.message : String(error)}\n`);
      createLogger(readConfig({}).logLevel).debug({ err: error }, 'unexpected error');
    }
    process.exit(1);
  });
