import { hkdfSync, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { createOnce } from './create-once.js';

const FILE = 'secret.key';
const KEY_BYTES = 32;

/**
 * The server's secret, from which all other keys are derived: the configured one, else a random one created once in the
 * data folder. Losing it invalidates login tokens and makes stored secrets unreadable, so back it up.
 */
@Injectable()
export class ServerSecret {
  private readonly secret: Buffer;
  private readonly keys = new Map<string, Buffer>();

  constructor(@Inject(CONFIG) config: Config) {
    this.secret = config.secretKey === '' ? readOrMake(config.dataDir) : Buffer.from(config.secretKey);
  }

  /** A key of 32 bytes for one purpose, always the same. Keys of different purposes reveal nothing about each other. */
  keyFor(purpose: string): Buffer {
    const known = this.keys.get(purpose);
    if (known !== undefined) return known;
    const key = Buffer.from(hkdfSync('sha256', this.secret, 'cairn', purpose, KEY_BYTES));
    this.keys.set(purpose, key);
    return key;
  }
}

function readOrMake(dataDir: string): Buffer {
  const path = join(dataDir, FILE);
  const known = read(path);
  if (known !== undefined) return known;
  mkdirSync(dataDir, { recursive: true });
  createOnce(path, `${randomBytes(KEY_BYTES).toString('hex')}\n`);
  return read(path) ?? fail(path);
}

function read(path: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : fail(path);
}

function fail(path: string): never {
  throw new Error(`${path} does not hold a secret key (64 hexadecimal digits). Restore it from a backup.`);
}
