import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { Representations } from '../../core/versioning/representations.js';
import type { Actor } from '../../shared/policy/actor.js';
import { senderOf } from '../users/index.js';
import type { InvitationDto } from './invitation.dto.js';

/** Tells what happened to invitations. */
@Injectable()
export class InvitationEvents {
  constructor(@Inject(Representations) private readonly representations: Representations) {}

  /** @param invitation as it is now, or before its deletion */
  async record(tx: Tx, operation: 'create' | 'delete', actor: Actor, invitation: InvitationDto): Promise<void> {
    const [after] = await this.representations.snapshots(tx, 'invitation', [invitation]);
    if (after === undefined) return;
    tx.record({
      name: `${operation}:invitation`,
      objectId: invitation.key,
      sender: senderOf(actor),
      organizationId: invitation.organization,
      projectId: null,
      after,
    });
  }
}
