import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { readConfig } from '../../config/env.js';
import type { Logger } from '../../core/logging/logger.js';
import { ShareFiles } from './share.service.js';

const warningsOf = async (shareDir: string): Promise<unknown[]> => {
  const warn = jest.fn();
  await new ShareFiles(readConfig({ SHARE_DIR: shareDir }), { warn } as unknown as Logger).onModuleInit();
  return warn.mock.calls.map(([, text]) => text);
};

describe('ShareFiles', () => {
  it('logs at startup that the folder cannot be read', async () => {
    expect(await warningsOf(join(tmpdir(), 'there is no such folder'))).toEqual([
      'the folder of SHARE_DIR cannot be read',
    ]);
    expect(await warningsOf(tmpdir())).toEqual([]);
    expect(await warningsOf('')).toEqual([]);
  });
});
