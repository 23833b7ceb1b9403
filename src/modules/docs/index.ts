export { DocsModule } from './docs.module.js';
export { toJsonSchema } from './events/async-document.js';
export { addPayloadSchemas, payloadSchemas, THIN_EVENT } from './events/event-schemas.js';
export { payloadExample } from './events/payload-example.js';
export { ApiDocument, describeApi } from './openapi/api-document.js';
export { operationsOf } from './openapi/complete-document.js';
export { documentText } from './openapi/document-text.js';
