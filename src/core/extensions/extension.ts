import type { DynamicModule, Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import type { ExportFormat, ImportFormat } from '../../engines/annotations/formats/format.js';
import type { EventDeclaration } from '../events/event-declaration.js';

/** A part of the application in a package of its own. */
export interface Extension {
  /** The name used in messages. */
  readonly name: string;
  /** Its controllers and providers. An extension that only adds formats needs none. */
  readonly module?: Type | DynamicModule;
  /** Its tables. */
  readonly entities?: readonly Type<object>[];
  /** Migrations of its tables; their class names end in a 13-digit timestamp, as TypeORM requires. */
  readonly migrations?: readonly Type<MigrationInterface>[];
  /** Events that webhooks can subscribe to. */
  readonly events?: readonly EventDeclaration[];
  /** Additional export formats, listed after the built-in ones. */
  readonly exportFormats?: readonly ExportFormat[];
  /** Additional import formats, listed after the built-in ones. */
  readonly importFormats?: readonly ImportFormat[];
}
