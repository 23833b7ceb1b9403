import { ApiError, Invalid, InvalidList } from '../../core/http/errors.js';
import { parameter, type Query } from '../../core/list/page-request.js';
import type { FormatInfo } from '../../engines/annotations/formats/format.js';
import { exportFormat, importFormat } from '../../engines/annotations/formats/registry.js';

/** An export as it was asked for. */
export interface ExportQuery {
  readonly format: FormatInfo;
  readonly saveImages: boolean;
  /** Name of the file to download; empty for the usual one. */
  readonly filename: string;
}

/** What becomes of the annotations that are there. */
export type ImportMode = 'replace' | 'append';

/** An import as it was asked for. */
export interface ImportQuery {
  readonly format: FormatInfo;
  /** The file that was sent before, if it was. */
  readonly filename: string;
  /** Whether masks become polygons where the format leaves that open. */
  readonly masksToPolygons: boolean;
  readonly mode: ImportMode;
}

const TRUE = new Set(['true', '1', 'yes', 'y', 'on', 't']);
const FALSE = new Set(['false', '0', 'no', 'n', 'off', 'f']);

/** @throws ApiError 400, 405 */
export function readExportQuery(query: Query): ExportQuery {
  const format = exportFormat(parameter(query, 'format'))?.info;
  if (format === undefined) throw new InvalidList('Unknown format specified for the request');
  requireEnabled(format);
  requireLocal(query);
  return { format, saveImages: readFlag(query, 'save_images', false), filename: fileName(query) };
}

/** @throws ApiError 400, 405 */
export function readImportQuery(query: Query): ImportQuery {
  const name = parameter(query, 'format');
  const format = importFormat(name)?.info;
  if (format === undefined) throw new InvalidList(`Unknown input format '${name}'`);
  requireEnabled(format);
  if (parameter(query, 'location') === 'cloud_storage' && fileName(query) === '') {
    throw new InvalidList('The filename was not specified');
  }
  requireLocal(query);
  return {
    format,
    filename: fileName(query),
    masksToPolygons: readFlag(query, 'conv_mask_to_poly', true),
    mode: readMode(query),
  };
}

function readMode(query: Query): ImportMode {
  const mode = parameter(query, 'import_mode');
  if (mode === '' || mode === 'replace') return 'replace';
  if (mode === 'append') return mode;
  throw new Invalid({ import_mode: [`"${mode}" is not a valid choice.`] });
}

function requireEnabled({ enabled }: FormatInfo): void {
  if (!enabled) throw new ApiError(405, { detail: 'Format is disabled' });
}

/** There are no cloud storages to refer to: this server keeps files on its own disk. */
function requireLocal(query: Query): void {
  const location = parameter(query, 'location');
  if (location === '' || location === 'local') return;
  if (location !== 'cloud_storage') throw new InvalidList(`The specified location '${location}' is not supported`);
  if (parameter(query, 'cloud_storage_id') === '') {
    throw new InvalidList('Trying to use undefined cloud storage (cloud_storage_id was not provided)');
  }
  throw new InvalidList('CloudStorage matching query does not exist.');
}

function readFlag(query: Query, name: string, otherwise: boolean): boolean {
  const text = parameter(query, name).toLowerCase();
  if (text === '') return otherwise;
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  throw new InvalidList(`'${name}' must be true or false`);
}

/** Without folders and characters that no header and no file name may have. */
const fileName = (query: Query): string =>
  (parameter(query, 'filename').split(/[/\\]/).at(-1) ?? '').replaceAll(/\p{Cc}/gu, '').trim();
