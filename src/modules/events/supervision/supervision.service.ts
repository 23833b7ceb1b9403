import { Injectable } from '@nestjs/common';
import { requireAll } from '../../../core/access/require.js';
import { ListenerStates } from '../../../core/events/listener-states.js';
import { Quarantine, QUARANTINE_COLUMNS, type QuarantinedEvent } from '../../../core/events/quarantine.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { ListService } from '../../../core/list/list.service.js';
import type { Page, Query } from '../../../core/list/page-request.js';
import { Notifier } from '../../../core/worker/notifier.js';
import { raw } from '../../../engines/sql/sql.js';
import { type Actor, contextOrganization } from '../../../shared/policy/actor.js';
import { loggedEventPolicy } from '../../../shared/policy/event.policy.js';
import {
  type ListenerDto,
  type QuarantinedEventDto,
  quarantineList,
  type RetriedEventsDto,
  type RetryEventsDto,
  toListener,
  toQuarantinedEvent,
} from './supervision.dto.js';

/** Shows administrators how the listeners of events are getting on. */
@Injectable()
export class SupervisionService {
  constructor(
    private readonly states: ListenerStates,
    private readonly events: Quarantine,
    private readonly lists: ListService,
    private readonly notifier: Notifier,
  ) {}

  async listeners(actor: Actor): Promise<ListenerDto[]> {
    requireAdministrator(actor);
    return (await this.states.read()).map((state) => toListener(state, this.states.ageOf(state)));
  }

  quarantine(actor: Actor, query: Query): Promise<Page<QuarantinedEventDto>> {
    requireAdministrator(actor);
    const options = {
      select: QUARANTINE_COLUMNS,
      visible: raw('true'),
      organization: 'any',
      query,
      url: `${actor.baseUrl}/api/events/quarantine`,
    } as const;
    return this.lists.page<QuarantinedEvent, QuarantinedEventDto>(quarantineList, options, toQuarantinedEvent);
  }

  async retry(actor: Actor, body: Unvalidated<RetryEventsDto>): Promise<RetriedEventsDto> {
    requireAdministrator(actor);
    const count = await this.events.giveBack(body.validate());
    this.notifier.notify('events');
    return { count };
  }
}

/** @throws Forbidden */
const requireAdministrator = (actor: Actor): void =>
  requireAll(loggedEventPolicy, ['supervise'], actor, { organization: contextOrganization(actor) });
