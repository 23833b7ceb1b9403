import { Module } from '@nestjs/common';
import { ApiDocument } from './openapi/api-document.js';
import { DocsController, SlashController, SchemaController } from './docs.controller.js';
import { EventSchemaController } from './events/event-schema.controller.js';

export { toJsonSchema, payloadExample } from './events/async-document.js';
export { addPayloadSchemas, documentPing, payloadSchemas, THIN_EVENT } from './events/event-schemas.js';
export { ApiDocument, describeApi, documentText } from './openapi/api-document.js';
export { operationsOf } from './openapi/complete-document.js';

/** API documents: for programs at `schema/` and `asyncapi`, for people at `docs/` and `swagger/`. */
@Module({
  controllers: [SchemaController, EventSchemaController, DocsController, SlashController],
  providers: [ApiDocument],
  exports: [ApiDocument],
})
export class DocsModule {}
