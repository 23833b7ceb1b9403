import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '../config/env.js';
import { ServerSecret } from './secret.js';

describe('ServerSecret', () => {
  let dataDir = '';
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'cairn-secret-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  const secret = (env: Record<string, string> = {}) => new ServerSecret(readConfig({ DATA_DIR: dataDir, ...env }));
  const key = (from: ServerSecret, purpose = 'tests'): string => from.keyFor(purpose).toString('hex');

  it('is created once, readable only by its owner, and derives a key per purpose', () => {
    const first = secret();
    expect(key(secret())).toBe(key(first));
    expect(key(first, 'other')).not.toBe(key(first));
    expect(first.keyFor('tests')).toHaveLength(32);
    expect(readdirSync(dataDir)).toEqual(['secret.key']);
    expect(statSync(join(dataDir, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  it('creates the folder if it is missing', () => {
    const nested = { DATA_DIR: join(dataDir, 'a', 'b') };
    expect(key(secret(nested))).toBe(key(secret(nested)));
  });

  it('can be configured, and then leaves no file', () => {
    const configured = { SECRET_KEY: 'a secret of 20 chars' };
    expect(key(secret(configured))).toBe(key(secret(configured)));
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('refuses a damaged file instead of losing what was encrypted with the old key', () => {
    writeFileSync(join(dataDir, 'secret.key'), '');
    expect(() => secret()).toThrow(/secret\.key does not hold a secret key/);
  });
});
