import type { DumpRecord } from '../dump-record.js';
import type { Mapping, Sealing } from '../mapping.js';

/** The only provider whose storages can be used here. */
const S3 = 'AWS_S3_BUCKET';
const OTHER_PROVIDER = 'comes without its credentials: storages of that provider cannot be used here yet';
const NO_PAIR = 'comes without its credentials: they are not a key and a secret';

const cloudStorage: Mapping = {
  model: 'engine.cloudstorage',
  stage: 'cloud_storage',
  map(record, { people, sealing }) {
    const providerType = record.text('provider_type');
    const credentialsType = record.text('credentials_type');
    const stored = record.text('credentials', '');
    const isPair = providerType === S3 && credentialsType === 'KEY_SECRET_KEY_PAIR';
    if (providerType !== S3) record.remark(OTHER_PROVIDER);
    return [
      {
        id: record.id,
        provider_type: providerType,
        resource: record.text('resource'),
        display_name: record.text('display_name'),
        credentials_type: credentialsType,
        credentials: isPair ? sealPair(record, stored, sealing) : null,
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

/** CVAT keeps a pair as `key secret`, with a session token after another space where there is one. */
function sealPair(record: DumpRecord, stored: string, sealing: Sealing): string | null {
  const [key = '', secret = '', token = '', ...more] = stored.split(' ');
  if (key !== '' && secret !== '' && more.length === 0)
    return sealing.keyPair({ key, secret, ...(token === '' ? {} : { token }) });
  record.remark(NO_PAIR);
  return null;
}

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
