export { BackgroundRequests } from './background-requests.js';
export { currentRequestId, requestIdOf } from './request-id.js';
export {
  isInterrupted,
  RequestCancelled,
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  HandlesRequests,
  RequestHandlers,
  RequestInterrupted,
  type RequestResult,
} from './request-handlers.js';
export { RequestRepository } from './request.repository.js';
export { declareRequestEvents } from './request.events.js';
export { Chore, RequestWorker } from './request.worker.js';
export { RequestsModule } from './requests.module.js';
