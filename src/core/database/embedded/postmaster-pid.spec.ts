import { describe, expect, it } from '@jest/globals';
import { isServerOf, parsePostmasterPid, processExists } from './postmaster-pid.js';

describe('parsePostmasterPid', () => {
  it('reads a complete file', () => {
    const text = '4711\n/data/postgres/cluster\n1700000000\n5432\n/data/postgres/socket\n\n  123  456\nready   \n';
    expect(parsePostmasterPid(text)).toEqual({ pid: 4711, port: 5432, socketDirectory: '/data/postgres/socket' });
  });

  it('has only the process id while the server starts', () => {
    expect(parsePostmasterPid('4711\n/data/postgres/cluster\n1700000000\n')).toEqual({ pid: 4711 });
  });

  it.each(['', 'x\n', '-5\n', '0\n', '1.5\n'])('returns undefined for %j', (text) => {
    expect(parsePostmasterPid(text)).toBeUndefined();
  });
});

describe('isServerOf', () => {
  it('does not mistake another program for the server', async () => {
    expect(processExists(process.pid)).toBe(true);
    expect(await isServerOf('/', process.pid)).toBe(false);
  });
});
