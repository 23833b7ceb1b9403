import { describe, expect, it } from '@jest/globals';
import { EmbeddedPostgresError, explainOutput, fileError, hasCode } from './embedded-postgres.error.js';

const systemError = (code: string, path?: string) => Object.assign(new Error(code), { code, path });

describe('fileError', () => {
  it.each([
    ['EACCES', 'No permission'],
    ['EROFS', 'read-only'],
    ['ENOSPC', 'full'],
    ['ENOTDIR', 'where a folder is needed'],
  ])('names the path and the cause of %s', (code, words) => {
    const error = fileError(systemError(code, '/data/postgres/x'), '/data');
    expect(error).toBeInstanceOf(EmbeddedPostgresError);
    expect(error.message).toContain(words);
    expect(error.message).toContain('/data/postgres/x');
  });

  it('keeps a message that is already complete', () => {
    const sentence = new EmbeddedPostgresError('told');
    expect(fileError(sentence, '/data')).toBe(sentence);
  });

  it('names the folder if an unknown error has no path', () => {
    expect(fileError(new Error('odd'), '/data').message).toMatch(/\/data .*odd/);
  });
});

describe('explainOutput', () => {
  it('quotes the first fatal line', () => {
    const output =
      'LOG:  starting\n2026-01-01 UTC [1] FATAL:  could not load file "x"\n2026-01-01 UTC [1] LOG:  shut down\n';
    expect(explainOutput('Starting', output).message).toBe('Starting failed: could not load file "x".');
  });

  it('ignores responses to our own early connection', () => {
    const output = '[2] FATAL:  the database system is starting up\n[1] PANIC:  could not locate a checkpoint record';
    expect(explainOutput('Starting', output).message).toContain('could not locate a checkpoint record');
  });

  it.each([
    ['initdb: error: could not write: No space left on device', 'the disk is full'],
    ['FATAL:  could not create any Unix-domain sockets', 'socket or port'],
    ['cannot execute: required file not found: spawn initdb ENOENT', 'do not run on this system'],
  ])('recognizes the cause of %j', (output, cause) => {
    expect(explainOutput('Starting', output).message).toContain(cause);
  });

  it('reports that there is no output', () => {
    expect(explainOutput('Starting', '').message).toBe('Starting failed: it printed no error.');
  });
});

describe('hasCode', () => {
  it('compares the code of an error, whatever type was thrown', () => {
    expect(hasCode(systemError('ENOENT'), 'EACCES', 'ENOENT')).toBe(true);
    expect(hasCode(systemError('ENOENT'), 'EACCES')).toBe(false);
    expect(hasCode('ENOENT', 'ENOENT')).toBe(false);
    expect(hasCode(undefined, '')).toBe(false);
  });
});
