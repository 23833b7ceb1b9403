import { Module } from '@nestjs/common';
import { type Representation, Represents } from '../../core/versioning/representations.js';
import { DocsModule, documentPing } from '../docs/index.js';
import { PING } from './event-catalogue.js';
import { DispatchRepository } from './dispatch/dispatch.repository.js';
import { DeliveryController, ExplanationController } from './log/delivery.controller.js';
import { DeliveryQueue } from './delivery/delivery.queue.js';
import { DeliveryRecorder } from './delivery/delivery.recorder.js';
import { DeliveryRepository } from './log/delivery.repository.js';
import { DeliveryService, ImmediateDeliveries } from './log/delivery.service.js';
import { DeliveryWorker } from './delivery/delivery.worker.js';
import { Webhook20Dto, Webhook21Dto, WebhookDto } from './subscriptions/webhook.dto.js';
import { EventFeed } from './stream/event-stream.js';
import { EventStreamController } from './stream/event-stream.controller.js';
import { EventStreamService } from './stream/event-stream.service.js';
import { ExplanationRepository, ExplanationService } from './log/explanation.service.js';
import { LogSize, WebhookCleaner } from './log/webhook-cleaner.js';
import { RedeliveryService } from './log/redelivery.service.js';
import { SampleService } from './log/sample.service.js';
import { StreamRepository } from './stream/stream.repository.js';
import { WebhookCreation } from './subscriptions/webhook.create.js';
import { FormerMemberWebhooks, WebhookService } from './subscriptions/webhook.service.js';
import { WebhookDispatcher } from './dispatch/webhook-dispatcher.js';
import { DueDeliveries } from './delivery/due-deliveries.js';
import { WebhookMetrics } from './delivery/webhook-metrics.js';
import { WebhookSecrets } from './subscriptions/webhook-secrets.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import { WebhookTargets } from './subscriptions/target-url.js';
import { WebhookController } from './subscriptions/webhook.controller.js';
import { WebhookRepository } from './subscriptions/webhook.repository.js';
import { webhookVersions } from './subscriptions/webhook.mapper.js';

export { DeliveryWorker } from './delivery/delivery.worker.js';
export { WebhookCleaner } from './log/webhook-cleaner.js';

documentPing({ event: PING, object: WebhookDto, older: { '2.0': Webhook20Dto, '2.1': Webhook21Dto } });

/** Sends events to other systems. It listens to events and uses no service of another resource. */
@Module({
  imports: [DocsModule],
  controllers: [WebhookController, DeliveryController, ExplanationController, EventStreamController],
  providers: [
    WebhookRepository,
    WebhookService,
    WebhookCreation,
    WebhookSecrets,
    WebhookSender,
    WebhookDispatcher,
    FormerMemberWebhooks,
    WebhookCleaner,
    DispatchRepository,
    DeliveryQueue,
    DeliveryRecorder,
    DeliveryRepository,
    DeliveryService,
    ImmediateDeliveries,
    RedeliveryService,
    DeliveryWorker,
    LogSize,
    SampleService,
    WebhookTargets,
    DueDeliveries,
    WebhookMetrics,
    EventFeed,
    EventStreamService,
    StreamRepository,
    ExplanationRepository,
    ExplanationService,
  ],
})
export class WebhooksModule {
  @Represents()
  versions(): readonly Representation[] {
    return webhookVersions;
  }
}
