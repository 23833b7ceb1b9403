import { Command, Option } from 'commander';
import { WORK_KINDS, type WorkKind } from '../core/worker/work-kinds.js';
import { packageVersion } from '../modules/server/version.js';

/** Exit code for an invalid command line. Later failures exit with 1. */
const USAGE_ERROR = 2;

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
    .description('run the server: API, app and background work in one process')
    .option('--no-worker', 'answer requests only; workers run elsewhere')
    .action(async (options: { worker: boolean }) => {
      const { serve } = await import('./serve.js');
      await serve(options.worker ? 'all' : 'api');
    });

  program
    .command('worker')
    .description('do background work only, beside servers on the same database and data folder')
    .addOption(
      new Option('--only <kinds...>', 'some of it; other processes have to do the rest').choices([...WORK_KINDS]),
    )
    .action(async (options: { only?: WorkKind[] }) => {
      const { serve } = await import('./serve.js');
      await serve('worker', options.only);
    });

  program
    .command('migrate')
    .description('bring the database up to date and end')
    .action(async () => {
      const { migrateCommand } = await import('./database.js');
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
      const { importCvatCommand } = await import('./import-cvat.js');
      await importCvatCommand(options);
    });

  program
    .command('adopt')
    .description('bind the database to this data folder and secret, after one of them was replaced on purpose')
    .action(async () => {
      const { adopt } = await import('./database.js');
      await adopt();
    });

  program
    .command('doctor')
    .description('tell what is wrong with this installation and what to do')
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

  const user = program.command('user').description('accounts, from the command line of the server');

  user
    .command('create <username>')
    .description('make an account; the password is read from standard input, or made and printed')
    .option('--email <address>', 'e-mail address')
    .option('--admin', 'an administrator')
    .action(async (username: string, options: { email?: string; admin?: boolean }) => {
      const { createUser } = await import('./user.js');
      await createUser(username, { email: options.email ?? '', admin: options.admin === true });
    });

  user
    .command('password <username>')
    .description('set a new password: read from standard input, or made and printed')
    .action(async (username: string) => {
      const { setPassword } = await import('./user.js');
      await setPassword(username);
    });
  return program;
}
