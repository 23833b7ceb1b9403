import { Injectable } from '@nestjs/common';
import { findOrganizationFacts } from '../../core/access/organization-context.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { Discovery } from '../../core/discovery/discovery.js';
import type { EventScope } from '../../core/events/event-map.js';
import { OnTransfer, type Transfer } from '../../core/events/transfers.js';
import { Invalid } from '../../core/http/errors/errors.js';
import { namedId } from '../../core/http/request/ids.js';
import type { Actor, OrganizationFacts } from '../../shared/policy/actor.js';

/** What may change together with the organization. */
const ALLOWED = ['organization_id', 'source_storage', 'target_storage'];

/** Moves projects and tasks between organizations. */
@Injectable()
export class Transfers {
  constructor(private readonly discovery: Discovery) {}

  /**
   * Reads where a PATCH moves an object.
   * @param from the organization of the object
   * @returns undefined if it stays; null if it leaves its organization
   * @throws Invalid for an unknown organization, and for other changes in the same request
   */
  async target(
    db: Queryable,
    actor: Actor,
    from: OrganizationFacts | null,
    body: Readonly<Record<string, unknown>>,
  ): Promise<OrganizationFacts | null | undefined> {
    const sent = body['organization_id'];
    if (sent === undefined) return undefined;
    const other = Object.keys(body).find((key) => !ALLOWED.includes(key));
    if (other !== undefined)
      throw new Invalid({
        [other]: ['Only source_storage and target_storage can change together with organization_id.'],
      });
    if (sent === null) return from === null ? undefined : null;
    const id = namedId(sent);
    if (id === undefined) throw new Invalid({ organization_id: ['A valid integer is required.'] });
    if (id === from?.id) return undefined;
    const organization = await findOrganizationFacts(db, id, actor.id);
    if (organization === null) throw new Invalid({ organization_id: [`There is no organization with the id ${id}.`] });
    return organization;
  }

  async prepare(tx: Tx, transfer: Transfer): Promise<void> {
    for (const { found } of this.discovery.methods(OnTransfer)) await found(tx, transfer);
  }
}

interface Moved {
  readonly before: { readonly organization_id: number | null };
  readonly after: { readonly organization_id: number | null };
}

/** The scopes of the events of a transfer: for the organization that was left, the one that was entered, and the project. */
export const transferScopes = (
  { before, after }: Moved,
  projectId: number | null,
): Readonly<Record<'left' | 'entered' | 'project', EventScope>> => ({
  left: { organizationId: before.organization_id, projectId: null },
  entered: { organizationId: after.organization_id, projectId: null },
  project: { organizationId: null, projectId },
});
