export type { WebhookPayloads } from './events.js';
export { CairnError, unwrap } from './cairn-error.js';
export { type CairnClient, type ClientOptions, createClient, type Credentials } from './client.js';
export { type ItemOf, type ListOptions, type ListPath, paginate } from './paginate.js';
export { type BackgroundRequest, RequestFailed, waitForRequest, type WaitOptions } from './requests.js';
export { noProgress, type ResumableOptions, sendResumably, type UploadPace, type UploadProgress } from './resumable.js';
export type { components, operations, paths } from './schema.js';
export { type DataParameters, type UploadFile, uploadTaskData, type UploadOptions } from './upload.js';
export {
  verifyWebhook,
  type VerifyOptions,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookMessage,
  WebhookSignatureError,
  type WebhookVersion,
} from './webhooks.js';
