import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '../../core/database/tx.js';
import { Representations } from '../../core/versioning/representations.js';
import type { Actor } from '../../shared/policy/actor.js';
import { senderOf } from '../users/index.js';
import type { OrganizationDto } from './organization.dto.js';

/** Tells what happened to organizations. */
@Injectable()
export class OrganizationEvents {
  constructor(@Inject(Representations) private readonly representations: Representations) {}

  async created(tx: Tx, actor: Actor, made: OrganizationDto): Promise<void> {
    const [after] = await this.representations.snapshots(tx, 'organization', [made]);
    if (after !== undefined) tx.record({ ...about('create:organization', actor, made), after });
  }

  async updated(tx: Tx, actor: Actor, old: OrganizationDto, now: OrganizationDto): Promise<void> {
    const [before, after] = await this.representations.snapshots(tx, 'organization', [old, now]);
    if (before !== undefined && after !== undefined) {
      tx.record({ ...about('update:organization', actor, now), before, after });
    }
  }

  async deleted(tx: Tx, actor: Actor, old: OrganizationDto): Promise<void> {
    const [after] = await this.representations.snapshots(tx, 'organization', [old]);
    if (after !== undefined) tx.record({ ...about('delete:organization', actor, old), after });
  }
}

const about = <Name extends string>(name: Name, actor: Actor, { id }: OrganizationDto) => ({
  name,
  objectId: id,
  sender: senderOf(actor),
  organizationId: id,
  projectId: null,
});
