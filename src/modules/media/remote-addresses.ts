import { createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ServerSecret } from '../../core/secret.js';
import { openSecret, sealSecret } from '../../engines/signature/secret-box.js';

/** Addresses that a task is made of may hold passwords and keys, so they wait encrypted in the database. */
@Injectable()
export class RemoteAddresses {
  private readonly sealingKey: KeyObject;

  constructor(@Inject(ServerSecret) secret: ServerSecret) {
    this.sealingKey = createSecretKey(secret.keyFor('addresses of remote files'));
  }

  /** @returns null for none */
  seal(addresses: readonly string[]): string | null {
    return addresses.length === 0 ? null : sealSecret(JSON.stringify(addresses), this.sealingKey);
  }

  /** @throws SealedSecretError when the server's secret is not the one they were sealed with */
  open(sealed: string | null | undefined): string[] {
    return sealed == null ? [] : (JSON.parse(openSecret(sealed, this.sealingKey)) as string[]);
  }
}
