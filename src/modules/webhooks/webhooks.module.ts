import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { declarePing } from '../../core/outbox/event-catalogue.js';
import { Representations } from '../../core/versioning/representations.js';
import { DocsModule } from '../docs/index.js';
import { BatchRepository } from './batch.repository.js';
import { DeliveryController } from './delivery.controller.js';
import { DeliveryQueue } from './delivery.queue.js';
import { DeliveryRecorder } from './delivery.recorder.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryService } from './delivery.service.js';
import { DeliveryWorker } from './delivery.worker.js';
import { Webhook20Dto, Webhook21Dto, WebhookDto } from './dto/webhook.dto.js';
import { EventFeed } from './event-feed.js';
import { EventStreamController } from './event-stream.controller.js';
import { EventStreamService } from './event-stream.service.js';
import { ExplanationController } from './explanation.controller.js';
import { ExplanationRepository } from './explanation.repository.js';
import { ExplanationService } from './explanation.service.js';
import { LogSize } from './log-size.js';
import { RedeliveryRepository } from './redelivery.repository.js';
import { RedeliveryService } from './redelivery.service.js';
import { SampleService } from './sample.service.js';
import { StreamRepository } from './stream.repository.js';
import { WebhookCleaner } from './webhook-cleaner.js';
import { WebhookCreation } from './webhook-creation.js';
import { WebhookDepartures } from './webhook-departures.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import { WebhookMetrics } from './webhook-metrics.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookTargets } from './webhook-targets.js';
import { WebhookController } from './webhook.controller.js';
import { WebhookRepository } from './webhook.repository.js';
import { WebhookService } from './webhook.service.js';
import { webhookVersions } from './webhook.versions.js';

declarePing({ object: WebhookDto, older: { '2.0': Webhook20Dto, '2.1': Webhook21Dto } });

/** Tells other systems what happened. It hears events and calls no other resource. */
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
    WebhookDepartures,
    WebhookCleaner,
    BatchRepository,
    DeliveryQueue,
    DeliveryRecorder,
    DeliveryRepository,
    DeliveryService,
    RedeliveryRepository,
    RedeliveryService,
    DeliveryWorker,
    LogSize,
    SampleService,
    WebhookTargets,
    WebhookMetrics,
    EventFeed,
    EventStreamService,
    StreamRepository,
    ExplanationRepository,
    ExplanationService,
  ],
})
export class WebhooksModule implements OnModuleInit {
  constructor(@Inject(Representations) private readonly representations: Representations) {}

  onModuleInit(): void {
    for (const representation of webhookVersions) this.representations.register(representation);
  }
}
