import { Injectable } from '@nestjs/common';
import { Db } from '../../../core/database/db.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { Invalid } from '../../../core/http/errors/errors.js';
import { Urls } from '../../../core/http/response/urls.js';
import { EVENTS } from '../../../core/events/event-declaration.js';
import { API_VERSIONS, type ApiVersion, LATEST_VERSION } from '../../../core/versioning/accept.js';
import { Representations, type WireObject } from '../../../core/versioning/representations.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { ApiDocument, payloadExample } from '../../docs/index.js';
import { senderOf } from '../../users/index.js';
import { canReceive, PING } from '../event-catalogue.js';
import { type EventPayload, eventPayload, inForm } from '../../../core/events/payload.js';
import { passesFilter } from '../dispatch/matching.js';
import { toWebhook, type WebhookRow } from '../subscriptions/webhook.mapper.js';
import { WebhookService } from '../subscriptions/webhook.service.js';
import { ImmediateDeliveries } from './delivery.service.js';
import type { SampleDto, SendSampleDto, WebhookDeliveryDto } from './delivery.dto.js';
import { ExplanationRepository, requireEvent } from './explanation.service.js';

/** Sample payloads to inspect, and samples and pings to test a receiver with. */
@Injectable()
export class SampleService {
  constructor(
    private readonly db: Db,
    private readonly webhooks: WebhookService,
    private readonly rows: ExplanationRepository,
    private readonly deliveries: ImmediateDeliveries,
    private readonly representations: Representations,
    private readonly document: ApiDocument,
  ) {}

  /** A generated sample, open to everybody. @throws Invalid */
  anySample(query: Readonly<Record<string, unknown>>): WireObject {
    const name = requireEvent(query['event']);
    const { version: given = LATEST_VERSION } = query;
    const version = API_VERSIONS.find((one) => one === given);
    if (version === undefined) throw new Invalid({ version: [`Choose one of ${API_VERSIONS.join(', ')}.`] });
    return { ...this.generated(name, version).payload, webhook_id: 1 };
  }

  /**
   * The payload as the webhook would receive it: the newest such event of its scope, or a generated one.
   * @throws Invalid
   */
  async sample(actor: Actor, webhookId: number, name: unknown): Promise<SampleDto> {
    const webhook = await this.webhooks.require(this.db, actor, webhookId, 'view');
    return this.sampleFor(webhook, requireEvent(name));
  }

  /** Sends a sample now and records it, regardless of the filter and even if the webhook is disabled. */
  async send(actor: Actor, webhookId: number, body: Unvalidated<SendSampleDto>): Promise<WebhookDeliveryDto> {
    const webhook = await this.webhooks.require(this.db, actor, webhookId, 'ping');
    const { event, payload } = await this.sampleFor(webhook, requireEvent(body.validate().event));
    return this.deliveries.send(webhook, event, JSON.stringify(payload));
  }

  /** Sends a ping now, even if the webhook is disabled, and records it with its response. There are no retries. */
  async ping(actor: Actor, webhookId: number): Promise<WebhookDeliveryDto> {
    const webhook = await this.webhooks.require(this.db, actor, webhookId, 'ping');
    const object = toWebhook(webhook, new Urls(actor.baseUrl)) as object as WireObject;
    const payload = JSON.stringify({
      event: PING,
      webhook: this.representations.render('webhook', webhook.api_version, { object }),
      sender: senderOf(actor),
    });
    return this.deliveries.send(webhook, PING, payload);
  }

  private async sampleFor(webhook: WebhookRow, event: string): Promise<SampleDto> {
    if (!canReceive(webhook.type, event))
      throw new Invalid({ event: [`Webhooks of the type ${webhook.type} cannot subscribe to ${event}.`] });
    const stored = await this.rows.newestEvent(this.db, webhook, event, null);
    const whole =
      stored === null
        ? this.generated(event, webhook.api_version)
        : eventPayload(stored, webhook.api_version, this.representations);
    return {
      event,
      is_generated: stored === null,
      passes_filter: passesFilter(webhook, whole),
      payload: { ...inForm(whole, webhook.payload), webhook_id: webhook.id },
    };
  }

  /** Generates a payload from the event's schema. */
  private generated(name: string, version: ApiVersion): EventPayload {
    const payload = payloadExample(this.document.get(), entryOf(name), version);
    return { payload, changedFields: Object.keys((payload['before_update'] as object | undefined) ?? {}) };
  }
}

function entryOf(name: string): (typeof EVENTS)[number] {
  const entry = EVENTS.find((event) => event.name === name);
  if (entry === undefined) throw new Error(`${name} is not a declared event`);
  return entry;
}
