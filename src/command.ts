import dotenv from 'dotenv';
import { commandLine } from './commands/command-line.js';
import { endWithError, prepareProcess } from './process-settings.js';

dotenv.config({ quiet: true });
prepareProcess();

commandLine(process.argv.slice(2))
  .parseAsync()
  .catch((error: unknown) => endWithError(error));
