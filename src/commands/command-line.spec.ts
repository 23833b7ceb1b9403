import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { commandLine } from './command-line.js';

describe('invalid command lines', () => {
  afterEach(() => void jest.restoreAllMocks());

  async function run(...args: string[]): Promise<{ code: number | undefined; said: string }> {
    let said = '';
    let code: number | undefined;
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      said += String(text);
      return true;
    });
    jest.spyOn(process, 'exit').mockImplementation((status) => {
      code = Number(status);
      throw new Error('ended');
    });
    await expect(commandLine(args).parseAsync(args, { from: 'user' })).rejects.toThrow('ended');
    return { code, said };
  }

  it.each([
    [['bogus'], "unknown command 'bogus'", 'import-cvat [options]'],
    [['serv'], 'Did you mean serve?', 'worker'],
    [['serve', 'bogus'], "too many arguments for 'serve'", '--no-worker'],
    [
      ['worker', '--only', 'events', 'bogus'],
      'Allowed choices are events, webhooks, requests, upkeep.',
      'Usage: cairn worker',
    ],
    [['--bogus'], "unknown option '--bogus'", '--no-worker'],
    [['user'], 'Usage: cairn user', 'create [options] <username>'],
    [['user', 'bogus'], "unknown command 'bogus'", 'create [options] <username>'],
    [['user', 'create'], "missing required argument 'username'", '--email <address>'],
    [['import-cvat', '--dump'], "option '--dump <file>' argument missing", '--dry-run'],
    [['events'], 'Usage: cairn events', 'retry [options] [ids...]'],
    [['events', 'retry', 'x'], 'It must be the id of an event.', 'Usage: cairn events retry'],
    [['openapi', '--yml'], 'Did you mean --yaml?', 'Usage: cairn openapi'],
  ])('%j prints the error and the usage, and exits with 2', async (args, wrong, usage) => {
    const { code, said } = await run(...args);
    expect(said).toContain(wrong);
    expect(said).toContain(usage);
    expect(code).toBe(2);
  });

  it('--help is not a failure', async () => {
    jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    expect((await run('user', 'create', '--help')).code).toBe(0);
  });
});
