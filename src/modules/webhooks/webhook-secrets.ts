import { createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ServerSecret } from '../../core/secret.js';
import { openSecret, sealSecret } from '../../engines/signature/secret-box.js';

/** Secrets of webhooks are encrypted in the database. */
@Injectable()
export class WebhookSecrets {
  private readonly key: KeyObject;

  constructor(@Inject(ServerSecret) secret: ServerSecret) {
    this.key = createSecretKey(secret.keyFor('webhook secrets'));
  }

  /** @returns null for the empty secret, which means none */
  seal(secret: string): string | null {
    return secret === '' ? null : sealSecret(secret, this.key);
  }

  /** @throws SealedSecretError when the server's secret is not the one it was sealed with */
  open(sealed: string): string {
    return openSecret(sealed, this.key);
  }
}
