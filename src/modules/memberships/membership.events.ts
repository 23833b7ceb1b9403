import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { Representations } from '../../core/versioning/representations.js';
import type { Actor } from '../../shared/policy/actor.js';
import { senderOf } from '../users/index.js';
import type { MembershipDto } from './membership.dto.js';

/** Tells what happened to memberships. */
@Injectable()
export class MembershipEvents {
  constructor(@Inject(Representations) private readonly representations: Representations) {}

  /** @param membership as it is now, or before its deletion @param before for updates */
  async record(
    tx: Tx,
    operation: 'create' | 'update' | 'delete',
    actor: Actor,
    membership: MembershipDto,
    before?: MembershipDto,
  ): Promise<void> {
    const objects = before === undefined ? [membership] : [membership, before];
    const [after, old] = await this.representations.snapshots(tx, 'membership', objects);
    if (after === undefined) return;
    tx.record({
      name: `${operation}:membership`,
      objectId: membership.id,
      sender: senderOf(actor),
      organizationId: membership.organization,
      projectId: null,
      after,
      ...(old === undefined ? {} : { before: old }),
    });
  }
}
