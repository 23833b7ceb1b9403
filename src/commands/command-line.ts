import { Command, InvalidArgumentError, Option } from 'commander';
import { MAX_PROCESSES, readProcesses } from '../config/env.js';
import { WORK_KINDS, type WorkKind } from '../core/worker/work-kinds.js';
import { packageVersion } from '../config/version.js';
import type { ImportCvatArguments } from './import-cvat.js';

/** Exit code for an invalid command line. Later failures exit with 1. */
const USAGE_ERROR = 2;

function processCount(text: string): number {
  const count = readProcesses(text);
  if (count === undefined)
    throw new InvalidArgumentError(`It must be auto or a whole number from 1 to ${MAX_PROCESSES}.`);
  return count;
}

function addEventCommands(program: Command): void {
  const events = program.command('events').description('manage events that could not be handled');

  events
    .command('quarantine')
    .description('list the events that a listener could not handle, and why')
    .option('--listener <name>', 'only those of this listener')
    .action(async (options: { listener?: string }) => {
      const { listQuarantine } = await import('./events.js');
      await listQuarantine(options);
    });

  events
    .command('retry')
    .description('handle events in quarantine again; the server may run')
    .argument('[ids...]', 'ids of events; default: all', eventIds)
    .option('--listener <name>', 'only those of this listener')
    .action(async (ids: number[], options: { listener?: string }) => {
      const { retryEvents } = await import('./events.js');
      await retryEvents({ ...options, events: ids.length === 0 ? undefined : ids });
    });
}

function eventIds(text: string, before: number[] = []): number[] {
  const id = Number(text);
  if (!Number.isSafeInteger(id) || id < 1) throw new InvalidArgumentError('It must be the id of an event.');
  return [...before, id];
}

/**
 * Defines the commands and their options. For an invalid command line it prints the error and the usage.
 * @param args the arguments after the program's name
 */
export function commandLine(args: readonly string[]): Command {
  // Settings made here also apply to the commands.
  const program = new Command('cairn')
    .description('Annotation-management server')
    .version(packageVersion())
    .showHelpAfterError()
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : USAGE_ERROR));

  program
    // An unknown command must not be parsed as an argument of this one.
    .command('serve', { isDefault: args[0]?.startsWith('-') ?? true })
    .description('run the server: API, app and background work')
    .option('--no-worker', 'only serve requests; other processes do the background work')
    .addOption(
      new Option('--processes <number>', 'processes that serve requests; auto: one for each core').argParser(
        processCount,
      ),
    )
    .action(async ({ worker, ...options }: { worker: boolean; processes?: number }) => {
      const { serve } = await import('./serve.js');
      await serve(worker ? 'all' : 'api', options);
    });

  program
    .command('worker')
    .description('only do background work, for servers on the same database and data folder (or MEDIA_URL)')
    .addOption(
      new Option('--only <kinds...>', 'kinds of work; other processes must do the rest').choices([...WORK_KINDS]),
    )
    .action(async (options: { only?: WorkKind[] }) => {
      const { serve } = await import('./serve.js');
      await serve('worker', options.only === undefined ? {} : { kinds: options.only });
    });

  program
    .command('migrate')
    .description('migrate the database to the current version')
    .action(async () => {
      const { migrateCommand } = await import('./database.js');
      await migrateCommand();
    });

  program
    .command('import-cvat')
    .description('import all data of CVAT 2.42 to 2.80 into an empty database; the server may run')
    .requiredOption('--dump <file>', "output of CVAT's `manage.py dumpdata`")
    .requiredOption('--data <path>', "CVAT's data folder, or a tar archive of it (plain, .bz2 or .gz)")
    .option('--dry-run', 'show what would and would not be imported, without changing anything')
    .option('--allow-missing', 'import even if files of frames or guides are missing')
    .option('--skip-invalid', 'leave out invalid records and what refers to them, and list them in a file')
    .action(async (options: ImportCvatArguments) => {
      const { importCvatCommand } = await import('./import-cvat.js');
      await importCvatCommand(options);
    });

  program
    .command('move-media')
    .description('move all files to another place while the server runs; can be interrupted and continued')
    .requiredOption('--to <place>', '"folder" for the data folder, or s3://bucket/prefix')
    .action(async ({ to }: { to: string }) => {
      const { moveMediaCommand } = await import('./move-media.js');
      await moveMediaCommand(to);
    });

  program
    .command('backup')
    .description('back up the database and the files of this installation; the server may run')
    .requiredOption('--to <file>', 'the archive to write: a file, s3://bucket/name, or - for standard output')
    .option('--no-secret-key', 'leave out the secret key, which is then needed for a restore')
    .action(async (options: { to: string; secretKey: boolean }) => {
      const { backupCommand } = await import('./backup.js');
      await backupCommand(options);
    });

  program
    .command('restore')
    .description('restore a backup into an empty database and data folder (or MEDIA_URL)')
    .requiredOption('--from <file>', 'the archive to read: a file, s3://bucket/name, or - for standard input')
    .option('--new-secret', 'restore without the secret key of the backup: encrypted values cannot be read')
    .option('--no-webhooks', 'deactivate all webhooks, for a copy of an installation that goes on')
    .action(async (options: { from: string; newSecret?: boolean; webhooks: boolean }) => {
      const { restoreCommand } = await import('./backup.js');
      await restoreCommand(options);
    });

  program
    .command('adopt')
    .description('accept that you replaced the data folder or the secret key of the database')
    .action(async () => {
      const { adopt } = await import('./database.js');
      await adopt();
    });

  program
    .command('doctor')
    .description('check this installation and show how to fix problems')
    .action(async () => {
      const { doctor } = await import('./doctor.js');
      process.exitCode = await doctor();
    });

  program
    .command('openapi')
    .description('print the OpenAPI document')
    .option('--yaml', 'as YAML instead of JSON')
    .action(async (options: { yaml?: boolean }) => {
      const { openapi } = await import('./openapi.js');
      await openapi(options.yaml === true ? 'yaml' : 'json');
    });

  addEventCommands(program);
  const user = program.command('user').description('manage accounts');

  user
    .command('create <username>')
    .description('create an account; the password is read from standard input, or generated and printed')
    .option('--email <address>', 'e-mail address')
    .option('--admin', 'make the account an administrator')
    .action(async (username: string, options: { email?: string; admin?: boolean }) => {
      const { createUser } = await import('./user.js');
      await createUser(username, { email: options.email ?? '', admin: options.admin === true });
    });

  user
    .command('password <username>')
    .description('set a new password; it is read from standard input, or generated and printed')
    .action(async (username: string) => {
      const { setPassword } = await import('./user.js');
      await setPassword(username);
    });

  user
    .command('login-link <username>')
    .description('print a link that logs in once, for when single sign-on does not work')
    .action(async (username: string) => {
      const { createLoginLink } = await import('./user.js');
      await createLoginLink(username);
    });
  return program;
}
