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
import { exportFormats, importFormats } from '../../engines/annotations/formats/registry.js';
import { JOB_STATES } from '../jobs/index.js';

// What the API document says about exports, imports and backups.

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
    description: 'Only the frames whose annotations were added, changed or removed after this revision',
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
    | 'format'
    | 'filename'
    | 'location'
    | 'cloudStorage'
    | 'masks'
    | 'mode'
    | 'dryRun'
    | 'skipUnmatched'
    | 'onlyComplete',
    ApiQueryOptions
  >
> = {
  format: {
    name: 'format',
    required: false,
    enum: importFormats.names as string[],
    description: 'Required, except in dry runs: without it, they recognize the format by the content of the file',
  },
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
      'Change nothing. The report of the request (API version 2.2) shows what would be created and replaced, what would ' +
      'be left out and why, and which formats the file may have; default: false',
  },
  skipUnmatched: {
    name: 'skip_unmatched',
    required: false,
    type: Boolean,
    description:
      'Leave out annotations whose frame or label does not exist, instead of failing. The report lists them; ' +
      'default: false',
  },
  onlyComplete: {
    name: 'only_complete',
    required: false,
    type: Boolean,
    description:
      'Fail if any annotation or file would be left out, except what `skip_unmatched` allows. The report lists them, and ' +
      'a resumable upload is kept for another request; default: false',
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
