#!/usr/bin/env -S node --max-semi-space-size=64
import { Command } from 'commander';
import dotenv from 'dotenv';
import { readConfig } from './config/env.js';
import { createLogger } from './core/logging/logger.js';
import { packageVersion } from './modules/server/version.js';
import { isSentence } from './start-error.js';

dotenv.config({ quiet: true });

const program = new Command('cairn').description('Annotation-management server').version(packageVersion());

program
  .command('serve', { isDefault: true })
  .description('run the server: API, app and background work in one process')
  .option('--no-worker', 'answer requests only; workers run elsewhere')
  .action(async (options: { worker: boolean }) => {
    const { serve } = await import('./commands/serve.js');
    await serve(options.worker ? 'all' : 'api');
  });

program
  .command('worker')
  .description('do background work only, beside servers on the same database and data folder')
  .action(async () => {
    const { serve } = await import('./commands/serve.js');
    await serve('worker');
  });

program
  .command('migrate')
  .description('bring the database up to date and end')
  .action(async () => {
    const { migrateCommand } = await import('./commands/migrate.js');
    await migrateCommand();
  });

program
  .command('import-cvat')
  .description('bring a whole CVAT 2.42 into an empty database; the server may run')
  .requiredOption('--dump <file>', "what CVAT's `manage.py dumpdata` wrote")
  .requiredOption('--data <path>', "CVAT's data folder, or a tar archive of it (plain, .bz2 or .gz)")
  .option('--dry-run', 'tell what would come and what cannot, and change nothing')
  .option('--allow-missing', 'import although files are missing that frames or guides need')
  .action(async (options: { dump: string; data: string; dryRun?: boolean; allowMissing?: boolean }) => {
    const { importCvatCommand } = await import('./commands/import-cvat.js');
    await importCvatCommand(options);
  });

program
  .command('doctor')
  .description('tell what is wrong with this installation and what to do')
  .action(async () => {
    const { doctor } = await import('./commands/doctor.js');
    process.exitCode = await doctor();
  });

program
  .command('openapi')
  .description('print the OpenAPI document')
  .option('--yaml', 'as YAML instead of JSON')
  .action(async (options: { yaml?: boolean }) => {
    const { openapi } = await import('./commands/openapi.js');
    await openapi(options.yaml === true ? 'yaml' : 'json');
  });

const user = program.command('user').description('accounts, from the command line of the server');

user
  .command('create <username>')
  .description('make an account; the password is read from standard input, or made and printed')
  .option('--email <address>', 'e-mail address')
  .option('--admin', 'an administrator')
  .action(async (username: string, options: { email?: string; admin?: boolean }) => {
    const { createUser } = await import('./commands/user.js');
    await createUser(username, { email: options.email ?? '', admin: options.admin === true });
  });

user
  .command('password <username>')
  .description('set a new password: read from standard input, or made and printed')
  .action(async (username: string) => {
    const { setPassword } = await import('./commands/user.js');
    await setPassword(username);
  });

program.parseAsync().catch((error: unknown) => {
  if (isSentence(error)) {
    process.stderr.write(`cairn: ${error.message}\n`);
  } else {
    // not one of the known reasons: the sentence for the person, the rest for the log
    process.stderr.write(`cairn: it cannot go on: ${error instanceof Error ? error.message : String(error)}\n`);
    createLogger(readConfig({}).logLevel).debug({ err: error }, 'unexpected end');
  }
  process.exit(1);
});
