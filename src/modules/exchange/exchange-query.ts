import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiHeader,
  ApiNoContentResponse,
  ApiProperty,
  type ApiQueryOptions,
  type ApiResponseOptions,
} from '@nestjs/swagger';
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
  readonly format: FormatInfo;
  /** Whether to convert masks to polygons in formats that leave this open. */
  readonly masksToPolygons: boolean;
  readonly mode: ImportMode;
  /** Only report what the import would do. */
  readonly dryRun: boolean;
  /** Leave out annotations of unknown frames and labels, instead of failing. */
  readonly skipUnmatched: boolean;
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
  const format = importFormats.find(name)?.info;
  if (format === undefined) throw new InvalidList(`Unknown input format '${name}'`);
  requireEnabled(format);
  return {
    ...readIncomingQuery(query),
    format,
    masksToPolygons: readFlag(query, 'conv_mask_to_poly', true),
    mode: readMode(query),
    dryRun: readFlag(query, 'dry_run', false),
    skipUnmatched: readFlag(query, 'skip_unmatched', false),
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

const readFile = (query: Query): FileQuery => ({
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

/** An archive as the content of a response. */
export const ARCHIVE = { 'application/zip': { schema: { type: 'string', format: 'binary' } } } as const;

const LOCATION: ApiQueryOptions = {
  name: 'location',
  required: false,
  enum: ['local', 'cloud_storage'],
  description: "This server or a cloud storage; default: the object's setting",
};

const CLOUD_STORAGE: ApiQueryOptions = {
  name: 'cloud_storage_id',
  required: false,
  type: Number,
  description: 'Required with the location `cloud_storage`',
};

/** Query parameters of exports. */
export const EXPORT_PARAMETERS: Readonly<
  Record<
    'format' | 'saveImages' | 'filename' | 'location' | 'cloudStorage' | 'label' | 'jobState' | 'changedSince',
    ApiQueryOptions
  >
> = {
  format: { name: 'format', required: true, enum: exportFormats.names as string[] },
  saveImages: {
    name: 'save_images',
    required: false,
    type: Boolean,
    description: 'Include images; default: false',
  },
  filename: {
    name: 'filename',
    required: false,
    type: String,
    description:
      'Name of the file to download, or in the cloud storage; default: a name with the object and the format',
  },
  label: {
    name: 'label',
    required: false,
    isArray: true,
    type: String,
    description: 'Only annotations with this label. Repeat the parameter for several labels.',
  },
  jobState: {
    name: 'job_state',
    required: false,
    isArray: true,
    enum: [...JOB_STATES],
    description: 'Only the frames and annotations of jobs in this state. Repeat the parameter for several states.',
  },
  changedSince: {
    name: 'changed_since',
    required: false,
    type: Number,
    description: 'Only the frames and annotations of jobs whose annotations were saved after this revision',
  },
  location: LOCATION,
  cloudStorage: CLOUD_STORAGE,
};

export const REQUEST_PARAMETER: ApiQueryOptions = {
  name: 'rq_id',
  required: true,
  type: String,
  description: 'Id of the background request',
};

/** Query parameters of imports. */
export const IMPORT_PARAMETERS: Readonly<
  Record<
    'format' | 'filename' | 'location' | 'cloudStorage' | 'masks' | 'mode' | 'dryRun' | 'skipUnmatched',
    ApiQueryOptions
  >
> = {
  format: { name: 'format', required: false, enum: importFormats.names as string[] },
  filename: {
    name: 'filename',
    required: false,
    type: String,
    description:
      'A file uploaded before, by the name that the response to its upload contains, or a file in a cloud storage',
  },
  location: LOCATION,
  cloudStorage: CLOUD_STORAGE,
  masks: {
    name: 'conv_mask_to_poly',
    required: false,
    type: Boolean,
    description: 'COCO only: convert masks to polygons; default: true',
  },
  mode: {
    name: 'import_mode',
    required: false,
    enum: ['replace', 'append'],
    description: 'Replace the existing annotations, or append to them; default: `replace`',
  },
  dryRun: {
    name: 'dry_run',
    required: false,
    type: Boolean,
    description:
      'Change nothing. The report of the request (API version 2.2) shows what would be created, what does not match ' +
      'and why; default: false',
  },
  skipUnmatched: {
    name: 'skip_unmatched',
    required: false,
    type: Boolean,
    description:
      'Leave out annotations whose frame or label does not exist, instead of failing. The report lists them; ' +
      'default: false',
  },
};

/** The response that creates a resumable upload. */
export const ANNOUNCED = {
  status: 201,
  description: 'A resumable upload (Upload-Length)',
  headers: { Location: { schema: { type: 'string' }, description: 'URL for the chunks' } },
} as const satisfies ApiResponseOptions;

const STEPS = ['Upload-Start', 'Upload-Length', 'Upload-Metadata', 'Upload-Finish'];

/** Documents a route that accepts a file, in one request or step by step. @param form with the file */
export const ApiSentFile = (form: Type): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ...STEPS.toReversed().map((name) => ApiHeader({ name, required: false })),
    ApiBody({ type: form, required: false }),
    ApiConsumes('multipart/form-data'),
  );

/** Documents a route that receives a chunk of a resumable upload. */
export const ApiPiece = (): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ApiNoContentResponse({ description: 'The chunk is stored; Upload-Offset is the number of bytes received so far' }),
    ApiHeader({ name: 'Upload-Offset', required: false }),
    ApiBody({ schema: { type: 'string', format: 'binary' } }),
    ApiConsumes('application/offset+octet-stream'),
  );

/** Query parameters of backups. */
export const BACKUP_PARAMETERS: Readonly<
  Record<'filename' | 'sent' | 'location' | 'source' | 'cloudStorage' | 'lightweight', ApiQueryOptions>
> = {
  filename: {
    name: 'filename',
    required: false,
    type: String,
    description: 'Name of the file to download, or in the cloud storage; default: a name with the object',
  },
  sent: IMPORT_PARAMETERS.filename,
  location: LOCATION,
  source: {
    ...LOCATION,
    description: 'Where the backup is: uploaded to this server (default), or in a cloud storage',
  },
  cloudStorage: CLOUD_STORAGE,
  lightweight: {
    name: 'lightweight',
    required: false,
    type: Boolean,
    description: 'Has no effect: backups always contain the media, wherever they are stored',
  },
};

/** The form of an import in one request. */
export class AnnotationFileDto {
  @ApiProperty({ type: 'string', format: 'binary' }) annotation_file!: unknown;
}

/** The form of an import of a dataset in one request. */
export class DatasetFileDto {
  @ApiProperty({ type: 'string', format: 'binary', description: 'A zip archive' }) dataset_file!: unknown;
}
