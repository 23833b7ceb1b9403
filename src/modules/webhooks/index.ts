export { DeliveryWorker } from './delivery.worker.js';
export { WebhookCleaner } from './webhook-cleaner.js';
export { WebhooksModule } from './webhooks.module.js';
