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

/** An archive as the content of an answer. */
export const ARCHIVE = { 'application/zip': { schema: { type: 'string', format: 'binary' } } } as const;

const LOCATION: ApiQueryOptions = {
  name: 'location',
  required: false,
  enum: ['local', 'cloud_storage'],
  description: "This server or a cloud storage; the object's own choice when absent",
};

const CLOUD_STORAGE: ApiQueryOptions = {
  name: 'cloud_storage_id',
  required: false,
  type: Number,
  description: 'With the location `cloud_storage`',
};

/** Query parameters of exports. */
export const EXPORT_PARAMETERS: Readonly<
  Record<'format' | 'saveImages' | 'filename' | 'location' | 'cloudStorage', ApiQueryOptions>
> = {
  format: { name: 'format', required: true, enum: exportFormats.names as string[] },
  saveImages: {
    name: 'save_images',
    required: false,
    type: Boolean,
    description: 'With images; false when absent',
  },
  filename: {
    name: 'filename',
    required: false,
    type: String,
    description: 'Name of the file to download, or in the cloud storage; made of the object and the format when absent',
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
  Record<'format' | 'filename' | 'location' | 'cloudStorage' | 'masks' | 'mode', ApiQueryOptions>
> = {
  format: { name: 'format', required: false, enum: importFormats.names as string[] },
  filename: {
    name: 'filename',
    required: false,
    type: String,
    description:
      'A file that was sent before, by the name that its upload was answered with; or one in a cloud storage',
  },
  location: LOCATION,
  cloudStorage: CLOUD_STORAGE,
  masks: {
    name: 'conv_mask_to_poly',
    required: false,
    type: Boolean,
    description: 'Whether masks become polygons, in COCO; true when absent',
  },
  mode: {
    name: 'import_mode',
    required: false,
    enum: ['replace', 'append'],
    description: 'Whether annotations that are there make room or stay; `replace` when absent',
  },
};

/** The answer to the announcement of a resumable upload. */
export const ANNOUNCED = {
  status: 201,
  description: 'A resumable upload (Upload-Length)',
  headers: { Location: { schema: { type: 'string' }, description: 'Where its pieces are sent' } },
} as const satisfies ApiResponseOptions;

const STEPS = ['Upload-Start', 'Upload-Length', 'Upload-Metadata', 'Upload-Finish'];

/** Documents a route that takes a file, in one request or step by step. @param form with the file */
export const ApiSentFile = (form: Type): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ...STEPS.toReversed().map((name) => ApiHeader({ name, required: false })),
    ApiBody({ type: form, required: false }),
    ApiConsumes('multipart/form-data'),
  );

/** Documents a route that takes a piece of a resumable upload. */
export const ApiPiece = (): MethodDecorator & ClassDecorator =>
  applyDecorators(
    ApiNoContentResponse({ description: 'A piece is kept; Upload-Offset says how far the file has come' }),
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
    description: 'Name of the file to download, or in the cloud storage; made of the object when absent',
  },
  sent: IMPORT_PARAMETERS.filename,
  location: LOCATION,
  source: {
    ...LOCATION,
    description: 'Where the backup is: sent to this server, also when absent, or a cloud storage',
  },
  cloudStorage: CLOUD_STORAGE,
  lightweight: {
    name: 'lightweight',
    required: false,
    type: Boolean,
    description: 'Has no effect: backups always hold the media, wherever they lie',
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
