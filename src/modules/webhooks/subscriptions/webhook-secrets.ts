import { createSecretKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ServerSecret } from '../../../core/secret.js';
import { openSecret, sealSecret } from '../../../engines/signature/secret-box.js';

/** How long the previous secret stays valid after a rotation, in milliseconds. */
export const ROTATION_MS = 24 * 3600 * 1000;

/** Number of decrypted secrets cached in memory, since a busy webhook needs its own for every delivery. */
const REMEMBERED = 1000;

/** The columns of a webhook that hold its secrets. */
export interface SealedSecrets {
  readonly secret: string | null;
  readonly previous_secret: string | null;
  readonly previous_secret_until: Date | string | null;
}

/** Secrets of webhooks are encrypted in the database. */
@Injectable()
export class WebhookSecrets {
  private readonly key: KeyObject;
  /** Recently decrypted secrets, keyed by sealed form. */
  private readonly opened = new Map<string, string>();

  constructor(secret: ServerSecret) {
    this.key = createSecretKey(secret.keyFor('webhook secrets'));
  }

  /** @returns null for the empty secret, which means no secret */
  seal(secret: string): string | null {
    return secret === '' ? null : sealSecret(secret, this.key);
  }

  /** Valid secrets, the newest first: two during a rotation. @throws SealedSecretError */
  valid(webhook: SealedSecrets, now: Date): string[] {
    const { secret, previous_secret: previous, previous_secret_until: until } = webhook;
    const isRotating = previous !== null && until !== null && new Date(until) > now;
    return [secret, isRotating ? previous : null]
      .filter((sealed) => sealed !== null)
      .map((sealed) => this.open(sealed));
  }

  /** @throws SealedSecretError if the secret was sealed with another server key */
  open(sealed: string): string {
    const known = this.opened.get(sealed);
    if (known !== undefined) return known;
    const secret = openSecret(sealed, this.key);
    if (this.opened.size >= REMEMBERED) this.opened.clear();
    this.opened.set(sealed, secret);
    return secret;
  }
}
