import { ApiError, Invalid, InvalidList } from '../../core/http/errors/errors.js';
import { parameter, type Query } from '../../core/list/page-request.js';
import type { FormatInfo } from '../../engines/annotations/formats/format.js';
import { JOB_STATES } from '../jobs/index.js';
import type { ExportFilter } from './export/export-filter.js';
import { exportFormats, importFormats } from '../../engines/annotations/formats/registry.js';

/** The source or destination of a file. */
export interface RequestedLocation {
  /** Empty: the object's default. */
  readonly location: '' | 'local' | 'cloud_storage';
  /** Set if `location` is `cloud_storage`. */
  readonly cloudStorageId: number | null;
}

/** The file of an export or import. */
export interface FileQuery extends RequestedLocation {
  /** Name of the file to download, or of the file uploaded before; empty if absent. */
  readonly filename: string;
  /** Name of the file in a cloud storage, with folders; empty if absent. */
  readonly key: string;
}

/** The query of an export. */
export interface ExportQuery extends FileQuery {
  readonly format: FormatInfo;
  readonly saveImages: boolean;
  readonly filter: ExportFilter;
}

/** What happens to the existing annotations. */
export type ImportMode = 'replace' | 'append';

/** The query of an import. */
export interface ImportQuery extends FileQuery {
  /** Null in dry runs that recognize the format. */
  readonly format: FormatInfo | null;
  /** Whether to convert masks to polygons in formats that leave this open. */
  readonly masksToPolygons: boolean;
  readonly mode: ImportMode;
  /** Only report what the import would do. */
  readonly dryRun: boolean;
  /** Leave out annotations of unknown frames and labels, instead of failing. */
  readonly skipUnmatched: boolean;
  /** Fail if anything would be left out. */
  readonly onlyComplete: boolean;
}

const TRUE = new Set(['true', '1', 'yes', 'y', 'on', 't']);
const FALSE = new Set(['false', '0', 'no', 'n', 'off', 'f']);

/** @throws ApiError 400, 405 */
export function readExportQuery(query: Query): ExportQuery {
  const format = exportFormats.find(parameter(query, 'format'))?.info;
  if (format === undefined) throw new InvalidList('Unknown format specified for the request');
  requireEnabled(format);
  return {
    ...readFile(query),
    format,
    saveImages: readFlag(query, 'save_images', false),
    filter: readFilter(query),
  };
}

/** @throws Invalid */
function readFilter(query: Query): ExportFilter {
  const jobStates = readTexts(query, 'job_state');
  const wrong = jobStates.find((state) => !JOB_STATES.some((known) => known === state));
  if (wrong !== undefined) throw new Invalid({ job_state: [`"${wrong}" is not a valid choice.`] });
  const since = parameter(query, 'changed_since');
  if (since !== '' && !/^\d{1,15}$/.test(since)) throw new Invalid({ changed_since: ['A valid integer is required.'] });
  return { labels: readTexts(query, 'label'), jobStates, changedSince: since === '' ? null : Number(since) };
}

/** The values of a parameter that can be repeated. */
const readTexts = (query: Query, name: string): string[] =>
  [query[name]].flat().filter((value): value is string => typeof value === 'string' && value !== '');

/**
 * Reads the query of a backup. `lightweight` would leave out media in cloud storages; our backups always contain them.
 * @throws ApiError 400
 */
export function readBackupQuery(query: Query): FileQuery {
  readFlag(query, 'lightweight', false);
  return readFile(query);
}

/** Reads the query of an upload. @throws ApiError 400 */
export function readIncomingQuery(query: Query): FileQuery {
  if (parameter(query, 'location') === 'cloud_storage' && fileName(query) === '') throw unnamedFile();
  return readFile(query);
}

/** A file in a cloud storage must be named. */
export const unnamedFile = (): InvalidList => new InvalidList('The filename was not specified');

/** @throws ApiError 400, 405 */
export function readImportQuery(query: Query): ImportQuery {
  const name = parameter(query, 'format');
  const dryRun = readFlag(query, 'dry_run', false);
  const format = importFormats.find(name)?.info;
  const isRecognized = name === '' && dryRun;
  if (format === undefined && !isRecognized) throw new InvalidList(`Unknown input format '${name}'`);
  if (format !== undefined) requireEnabled(format);
  return {
    ...readIncomingQuery(query),
    format: format ?? null,
    masksToPolygons: readFlag(query, 'conv_mask_to_poly', true),
    mode: readMode(query),
    dryRun,
    skipUnmatched: readFlag(query, 'skip_unmatched', false),
    onlyComplete: readFlag(query, 'only_complete', false),
  };
}

function readMode(query: Query): ImportMode {
  const mode = parameter(query, 'import_mode');
  if (mode === '' || mode === 'replace') return 'replace';
  if (mode === 'append') return mode;
  throw new InvalidList(`Invalid import_mode='${mode}'. Allowed: replace, append`);
}

function requireEnabled({ enabled }: FormatInfo): void {
  if (!enabled) throw new ApiError(405, { detail: 'Format is disabled' });
}

/** @throws InvalidList */
function readLocation(query: Query): RequestedLocation {
  const location = parameter(query, 'location');
  if (location !== '' && location !== 'local' && location !== 'cloud_storage')
    throw new InvalidList(`The specified location '${location}' is not supported`);
  const id = parameter(query, 'cloud_storage_id');
  if (id !== '' && !/^\d{1,15}$/.test(id)) throw new InvalidList('CloudStorage matching query does not exist.');
  if (location !== 'cloud_storage') return { location, cloudStorageId: null };
  if (id === '') throw new InvalidList('Trying to use undefined cloud storage (cloud_storage_id was not provided)');
  return { location, cloudStorageId: Number(id) };
}

function readFlag(query: Query, name: string, otherwise: boolean): boolean {
  const text = parameter(query, name).toLowerCase();
  if (text === '') return otherwise;
  if (TRUE.has(text)) return true;
  if (FALSE.has(text)) return false;
  throw new InvalidList(`'${name}' must be true or false`);
}

/** Reads where a file comes from or goes to. @throws InvalidList */
export const readFile = (query: Query): FileQuery => ({
  ...readLocation(query),
  filename: fileName(query),
  key: key(query),
});

/** Removes folders, and characters that are not allowed in headers and file names. */
const fileName = (query: Query): string =>
  (parameter(query, 'filename').split(/[/\\]/).at(-1) ?? '').replaceAll(/\p{Cc}/gu, '').trim();

const key = (query: Query): string =>
  parameter(query, 'filename')
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .replace(/^\/+/, '');
