import type { Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import type { Extension } from './core/extensions/load-extensions.js';
import { ENTITIES, MIGRATIONS } from './schema.js';

/** Tables and changes of the application with its extensions. */
export const schemaWith = (
  extensions: readonly Extension[],
): { entities: Type<object>[]; migrations: Type<MigrationInterface>[] } => ({
  entities: [...ENTITIES, ...extensions.flatMap((extension) => extension.entities ?? [])],
  migrations: [...MIGRATIONS, ...extensions.flatMap((extension) => extension.migrations ?? [])],
});
