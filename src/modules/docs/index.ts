export { describeApi } from './api-document.js';
export { operationsOf } from './complete-document.js';
export { DocsModule } from './docs.module.js';
export { documentText } from './document-text.js';
