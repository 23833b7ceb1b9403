export { DeliveryWorker } from './delivery/delivery.worker.js';
export { WebhookCleaner } from './log/webhook-cleaner.js';
export { WebhooksModule } from './webhooks.module.js';
