import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Forbidden } from '../../core/http/errors.js';
import { Urls } from '../../core/http/urls.js';
import { listOrganization } from '../../core/list/list-organization.js';
import { ListService } from '../../core/list/list.service.js';
import type { Page } from '../../core/list/page.dto.js';
import type { Actor } from '../../shared/policy/actor.js';
import { invitationPolicy } from '../../shared/policy/invitation.policy.js';
import type { InvitationDto } from './invitation.dto.js';
import { invitationList } from './invitation.list.js';
import { invitationColumns, type InvitationRow, toInvitation } from './invitation.mapper.js';

@Injectable()
export class InvitationQueries {
  constructor(
    @Inject(ListService) private readonly lists: ListService,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async list(actor: Actor, query: Record<string, unknown>): Promise<Page<InvitationDto>> {
    if (!invitationPolicy.mayList(actor)) throw new Forbidden();
    const urls = new Urls(actor.baseUrl);
    return this.lists.page(
      invitationList,
      {
        select: invitationColumns(this.clock.now()),
        visible: invitationPolicy.visible(actor),
        organization: listOrganization(actor),
        query,
        url: `${actor.baseUrl}/api/invitations`,
      },
      (row: InvitationRow) => toInvitation(row, urls),
    );
  }
}
