import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { Invalid } from '../../../core/http/errors.js';
import { Representations } from '../../../core/versioning/representations.js';
import type { Actor } from '../../../policy/actor.js';
import type { ExplanationDto } from './explanation.dto.js';
import { ALL_EVENTS } from '../event-catalogue.js';
import { explain, fires } from './explanation.js';
import { ExplanationRepository } from './explanation.repository.js';
import { batchKey, isSave } from '../dispatch/batches.js';
import { eventPayload } from '../dispatch/payload.js';
import { filterVerdict } from '../dispatch/shaping.js';
import { WebhookService } from '../subscriptions/webhook.service.js';

const MAX_OBJECT = 100;

/** Says why a webhook would or would not fire. */
@Injectable()
export class ExplanationService {
  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(WebhookService) private readonly webhooks: WebhookService,
    @Inject(ExplanationRepository) private readonly rows: ExplanationRepository,
    @Inject(Representations) private readonly representations: Representations,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** Looks at events of the webhook's own place alone, so nobody learns of others' objects. @throws Invalid */
  async explain(actor: Actor, webhookId: number, query: Readonly<Record<string, unknown>>): Promise<ExplanationDto> {
    const webhook = await this.webhooks.require(this.db, actor, webhookId, 'view');
    const event = requireEvent(query['event']);
    const object = requireObject(query['object']);
    const stored = await this.rows.newestEvent(this.db, webhook, event, object);
    const payload = stored === null ? null : eventPayload(stored, webhook.api_version, this.representations);
    const steps = explain({
      webhook: { ...webhook, active_since: await this.rows.activeSince(this.db, webhookId) },
      event,
      stored,
      filter: payload === null ? null : filterVerdict(webhook, payload),
      isSave: stored !== null && payload !== null && isSave(stored, payload.changedFields),
      oldestUnfinished: await this.rows.oldestUnfinished(this.db, webhookId),
      now: this.clock.now(),
    });
    const delivery = stored === null ? null : await this.rows.deliveryOf(this.db, webhookId, stored, batchKey(stored));
    return { event, object, fires: fires(steps), event_id: stored?.id ?? null, steps, delivery };
  }
}

/** @throws Invalid */
export function requireEvent(event: unknown): string {
  if (event === undefined || event === '') throw new Invalid({ event: ['This field is required.'] });
  const known = ALL_EVENTS.find((name) => name === event);
  if (known !== undefined) return known;
  const shown = typeof event === 'string' ? event : JSON.stringify(event);
  throw new Invalid({ event: [`"${shown.slice(0, MAX_OBJECT)}" is not a valid choice.`] });
}

function requireObject(object: unknown): string | null {
  if (object === undefined || object === '') return null;
  if (typeof object === 'string' && object.length <= MAX_OBJECT && !object.includes('\0')) return object;
  throw new Invalid({ object: [`Name one object, by at most ${MAX_OBJECT} characters.`] });
}
