#!/usr/bin/env -S node --max-semi-space-size=64
import { openFilesProblem } from './open-files.js';

// All other modules are loaded after this check, because loading them fails first.
const problem = openFilesProblem();
if (problem !== null) {
  process.stderr.write(`cairn: ${problem}\n`);
  process.exit(1);
}
await import('./command.js');
