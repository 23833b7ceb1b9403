import { safeMediaPath } from '../../engines/media/file-name.js';
import { type CloudCredentials, type Mapping, readIntegers, type Sealing } from '../mapping.js';
import { type DumpRecord, isInteger } from '../dump-record.js';

const data: Mapping = {
  model: 'engine.data',
  stage: 'media_data',
  map(record) {
    record.ignore('content_size', 'storage_method');
    if (record.integerOrNull('local_storage_backing_cs') !== null)
      record.remark(
        'its files are in a cloud storage, not in the data folder; move them back before you copy the folder',
      );
    return [
      {
        id: record.id,
        chunk_size: record.integerOrNull('chunk_size'),
        size: record.integer('size'),
        image_quality: record.integer('image_quality', 0),
        start_frame: record.integer('start_frame'),
        stop_frame: record.integer('stop_frame'),
        frame_filter: record.text('frame_filter'),
        // Null before the media are processed.
        compressed_chunk_type: record.textOr('compressed_chunk_type', 'imageset'),
        original_chunk_type: record.textOr('original_chunk_type', 'imageset'),
        // Cairn always creates chunks from the media, even if CVAT created them in advance.
        storage_method: 'cache',
        storage: record.text('storage'),
        cloud_storage_id: record.integerOrNull('cloud_storage'),
        sorting_method: record.text('sorting_method'),
        deleted_frames: readIntegers(record, 'deleted_frames', ''),
      },
    ];
  },
};

const image: Mapping = {
  model: 'engine.image',
  stage: 'image',
  map(record) {
    const isPlaceholder = record.boolean('is_placeholder', false);
    const realFrame = record.integer('real_frame', 0);
    return [
      {
        id: record.id,
        data_id: record.integer('data'),
        frame: record.integer('frame'),
        path: pathInData(record, 'path'),
        width: record.integer('width'),
        height: record.integer('height'),
        real_frame: isPlaceholder ? realFrame : null,
      },
    ];
  },
};

const video: Mapping = {
  model: 'engine.video',
  stage: 'video',
  map: (record) => [
    {
      id: record.id,
      data_id: record.integer('data'),
      frame: 0,
      path: pathInData(record, 'path'),
      width: record.integer('width'),
      height: record.integer('height'),
    },
  ],
};

const audio: Mapping = {
  model: 'engine.audio',
  stage: 'audio',
  map(record) {
    record.ignore('sampling_rate', 'has_cover_image');
    return [
      {
        id: record.id,
        data_id: record.integer('data'),
        frame: 0,
        path: pathInData(record, 'path'),
        width: 0,
        height: 0,
      },
    ];
  },
};

const relatedFile: Mapping = {
  model: 'engine.relatedfile',
  stage: 'related_file',
  map(record) {
    const path = pathInData(record, 'path');
    record.ignore('data');
    return record
      .list('images', 'images', isInteger)
      .map((imageId) => ({ id: `${record.pk} of image ${imageId}`, image_id: imageId, path }));
  },
};

const validationLayout: Mapping = {
  model: 'engine.validationlayout',
  stage: 'validation_layout',
  map: (record) => [
    {
      id: record.id,
      data_id: record.integer('task_data'),
      mode: record.text('mode'),
      layout: {
        frames_per_job_count: record.integerOrNull('frames_per_job_count'),
        frames: readIntegers(record, 'frames'),
        disabled_frames: readIntegers(record, 'disabled_frames', ''),
      },
    },
  ],
};

export const mediaMappings: readonly Mapping[] = [data, image, video, audio, relatedFile, validationLayout];

/** Folders that absolute paths of CVAT begin with: the media of one task, and the share. */
const FOLDER = /^\/(?:.*?\/data\/\d+\/raw|home\/django\/share)\//;

/**
 * The path of a media file within its data's folder. Dumps give it relative to that folder, and sometimes absolute.
 * @throws CvatImportError if the path leads elsewhere
 */
function pathInData(record: DumpRecord, field: string): string {
  const path = record.text(field).replace(FOLDER, '');
  try {
    return safeMediaPath(path);
  } catch {
    throw record.wrong(field, "a path within the task's media");
  }
}

const NO_PAIR = 'imported without credentials: they are not an access key and secret';
const NO_ACCOUNT = 'imported without credentials: they are not an account name and SAS token';
const NO_STRING = 'imported without credentials: the connection string is empty';
const NO_KEY_FILE = 'imported without credentials: the dump does not contain the key file; upload it again';
const OTHER_PROVIDER = 'imported without credentials: its provider is not supported';

const cloudStorage: Mapping = {
  model: 'engine.cloudstorage',
  stage: 'cloud_storage',
  map(record, { people, sealing }) {
    const providerType = record.text('provider_type');
    const credentialsType = record.text('credentials_type');
    const stored = record.text('credentials', '');
    return [
      {
        id: record.id,
        provider_type: providerType,
        resource: record.text('resource'),
        display_name: record.text('display_name'),
        credentials_type: credentialsType,
        credentials: sealCredentials(record, { providerType, credentialsType, stored }, sealing),
        specific_attributes: record.text('specific_attributes', ''),
        description: record.text('description', ''),
        owner_id: people.userIdOrNull(record, 'owner'),
        organization_id: record.integerOrNull('organization'),
        created_date: record.date('created_date'),
        updated_date: record.date('updated_date'),
      },
    ];
  },
};

interface CloudCredentialsOfCvat {
  readonly providerType: string;
  readonly credentialsType: string;
  /** Parts are separated by spaces. */
  readonly stored: string;
}

function sealCredentials(record: DumpRecord, of: CloudCredentialsOfCvat, sealing: Sealing): string | null {
  const found = readCredentials(of);
  if (typeof found !== 'string') return found === null ? null : sealing.cloudCredentials(found);
  record.remark(found);
  return null;
}

/** @returns null if the storage has none, or the remark about those that cannot be imported */
function readCredentials({
  providerType,
  credentialsType,
  stored,
}: CloudCredentialsOfCvat): CloudCredentials | string | null {
  const [first = '', second = '', third = '', ...more] = stored.split(' ');
  const kind = `${providerType} ${credentialsType}`;
  if (kind === 'AWS_S3_BUCKET KEY_SECRET_KEY_PAIR') {
    if (first === '' || second === '' || more.length > 0) return NO_PAIR;
    return { key: first, secret: second, ...(third === '' ? {} : { token: third }) };
  }
  if (kind === 'AZURE_CONTAINER ACCOUNT_NAME_TOKEN_PAIR') {
    if (first === '' || second === '' || third !== '') return NO_ACCOUNT;
    return { account: first, sasToken: second };
  }
  if (kind === 'AZURE_CONTAINER ANONYMOUS_ACCESS') return stored === '' ? NO_ACCOUNT : { account: stored };
  if (kind === 'AZURE_CONTAINER CONNECTION_STRING') return stored === '' ? NO_STRING : { connectionString: stored };
  if (kind === 'GOOGLE_CLOUD_STORAGE KEY_FILE_PATH') return NO_KEY_FILE;
  return OPEN.has(kind) ? null : OTHER_PROVIDER;
}

/** Access without credentials. */
const OPEN: ReadonlySet<string> = new Set(['AWS_S3_BUCKET ANONYMOUS_ACCESS', 'GOOGLE_CLOUD_STORAGE ANONYMOUS_ACCESS']);

const manifest: Mapping = {
  model: 'engine.manifest',
  stage: 'manifest',
  map(record) {
    const cloudStorageId = record.integerOrNull('cloud_storage');
    if (cloudStorageId === null) return { reason: 'its cloud storage is gone' };
    return [{ id: record.id, cloud_storage_id: cloudStorageId, filename: record.text('filename') }];
  },
};

export const cloudMappings: readonly Mapping[] = [cloudStorage, manifest];

const asset: Mapping = {
  model: 'engine.asset',
  stage: 'asset',
  map: (record, { people }) => [
    {
      uuid: record.uuid,
      filename: record.text('filename'),
      guide_id: record.integer('guide'),
      owner_id: people.userIdOrNull(record, 'owner'),
      created_date: record.date('created_date'),
    },
  ],
};

export const assetMappings: readonly Mapping[] = [asset];
