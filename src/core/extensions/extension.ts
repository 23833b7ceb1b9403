import type { DynamicModule, Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import type { ExportFormat, ImportFormat } from '../../engines/annotations/formats/format.js';
import type { EventDeclaration } from '../events/event-declaration.js';

/** A part of the application that lives in a package of its own. */
export interface Extension {
  /** For messages. */
  readonly name: string;
  /** Its controllers and providers. One that brings formats alone needs none. */
  readonly module?: Type | DynamicModule;
  /** Its tables. */
  readonly entities?: readonly Type<object>[];
  /** Changes of its tables; the names of the classes end in a timestamp of 13 digits, as TypeORM wants it. */
  readonly migrations?: readonly Type<MigrationInterface>[];
  /** What webhooks may subscribe to. */
  readonly events?: readonly EventDeclaration[];
  /** What datasets can be written in besides, listed after the formats of the server. */
  readonly exportFormats?: readonly ExportFormat[];
  /** What datasets can be read from besides, listed after the formats of the server. */
  readonly importFormats?: readonly ImportFormat[];
}
