import { pathToFileURL } from 'node:url';
import type { DynamicModule, Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import type { ExportFormat, ImportFormat } from '../../engines/annotations/formats/format.js';
import { exportFormats, importFormats } from '../../engines/annotations/formats/registry.js';
import { declareEvents, type EventDeclaration } from '../events/event-declaration.js';

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

/** An extension cannot be used. The message is one sentence for the person who configured it. */
export class ExtensionError extends Error {
  constructor(path: string, problem: string) {
    super(`The extension ${path} of CAIRN_EXTENSIONS ${problem}.`);
    this.name = 'ExtensionError';
  }
}

const MIGRATION_NAME = /\d{13}$/;

/**
 * Loads the modules that the settings name, and registers their events and formats. Idempotent.
 * @param paths absolute
 * @throws ExtensionError
 */
export async function loadExtensions(paths: readonly string[]): Promise<Extension[]> {
  const extensions: Extension[] = [];
  for (const path of paths) {
    const extension = await load(path);
    extension.events?.forEach(declareEvents);
    addFormats(path, extension);
    extensions.push(extension);
  }
  return extensions;
}

function addFormats(path: string, extension: Extension): void {
  try {
    for (const format of extension.exportFormats ?? []) exportFormats.add(format);
    for (const format of extension.importFormats ?? []) importFormats.add(format);
  } catch (error) {
    throw new ExtensionError(path, `cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function load(path: string): Promise<Extension> {
  const { extension } = await importFile(path);
  if (extension === undefined) throw new ExtensionError(path, 'exports no `extension`');
  const problem = problemOf(extension);
  if (problem !== undefined) throw new ExtensionError(path, problem);
  return extension as Extension;
}

async function importFile(path: string): Promise<{ extension?: Partial<Extension> }> {
  try {
    return (await import(pathToFileURL(path).href)) as { extension?: Partial<Extension> };
  } catch (error) {
    throw new ExtensionError(path, `cannot be loaded: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Checks for what the compiler cannot catch. */
function problemOf({ name, module, migrations = [], ...more }: Partial<Extension>): string | undefined {
  if (typeof name !== 'string' || name === '') return 'has no name';
  const bringsFormats = more.exportFormats !== undefined || more.importFormats !== undefined;
  const needsModule = module !== undefined || !bringsFormats;
  if (needsModule && typeof module !== 'function' && typeof module?.module !== 'function') return 'has no module';
  const unnamed = migrations.find((migration) => !MIGRATION_NAME.test(migration.name));
  return unnamed === undefined ? undefined : `has a migration without a timestamp in its name: ${unnamed.name}`;
}
