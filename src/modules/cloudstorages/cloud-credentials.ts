import { createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ServerSecret } from '../../core/secret.js';
import { openSecret, sealSecret } from '../../engines/signature/secret-box.js';

/** What opens a bucket. */
export interface KeyPair {
  readonly key: string;
  readonly secret: string;
  readonly token?: string;
}

/** Credentials of cloud storages are encrypted in the database, and never answered. */
@Injectable()
export class CloudCredentials {
  private readonly sealingKey: KeyObject;

  constructor(@Inject(ServerSecret) secret: ServerSecret) {
    this.sealingKey = createSecretKey(secret.keyFor('cloud storage credentials'));
  }

  seal(pair: KeyPair): string {
    return sealSecret(JSON.stringify(pair), this.sealingKey);
  }

  /** @throws SealedSecretError when the server's secret is not the one it was sealed with */
  open(sealed: string): KeyPair {
    return JSON.parse(openSecret(sealed, this.sealingKey)) as KeyPair;
  }
}
