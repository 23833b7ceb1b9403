import { Module } from '@nestjs/common';
import { ApiDocument } from './api-document.js';
import { DocsController } from './docs.controller.js';
import { EventSchemaController } from './event-schema.controller.js';
import { SchemaController } from './schema.controller.js';
import { SlashController } from './slash.controller.js';

/** The API described: for programs at `schema/`, for people at `docs/` and `swagger/`. */
@Module({
  controllers: [SchemaController, EventSchemaController, DocsController, SlashController],
  providers: [ApiDocument],
  exports: [ApiDocument],
})
export class DocsModule {}
