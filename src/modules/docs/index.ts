export { ApiDocument, describeApi } from './api-document.js';
export { operationsOf } from './complete-document.js';
export { addPayloadSchemas, payloadSchemas, THIN_EVENT } from './event-schemas.js';
export { DocsModule } from './docs.module.js';
export { toJsonSchema } from './json-schema.js';
export { documentText } from './document-text.js';
export { payloadExample } from './payload-example.js';
