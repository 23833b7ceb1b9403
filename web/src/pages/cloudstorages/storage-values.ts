import type { CloudStorage } from '../../app/api';

export type Provider = CloudStorage['provider_type'];
export type Credentials = CloudStorage['credentials_type'];

/** Write-only fields. Empty ones keep their stored values. */
export interface Secrets {
  readonly key: string;
  readonly secret_key: string;
  readonly session_token: string;
  readonly account_name: string;
  readonly connection_string: string;
}

export const NO_SECRETS: Secrets = {
  key: '',
  secret_key: '',
  session_token: '',
  account_name: '',
  connection_string: '',
};

/** Values of the form, except secrets. */
export interface StorageValues {
  readonly display_name: string;
  readonly description: string;
  readonly provider_type: Provider;
  readonly resource: string;
  readonly credentials_type: Credentials;
  /** Values by their names in `specific_attributes`. */
  readonly attributes: Readonly<Record<string, string>>;
  /** One per line. */
  readonly manifests: string;
}

export const EMPTY_STORAGE: StorageValues = {
  display_name: '',
  description: '',
  provider_type: 'AWS_S3_BUCKET',
  resource: '',
  credentials_type: 'KEY_SECRET_KEY_PAIR',
  attributes: {},
  manifests: '',
};

type SecretName = keyof Secrets;

interface AttributeField {
  readonly name: string;
  readonly label: string;
  readonly description: string;
}

interface ProviderFields {
  readonly label: string;
  /** The provider's term for a bucket. */
  readonly resource: string;
  /** Types of credentials with their fields. The first one is the default. */
  readonly credentials: readonly {
    readonly type: Credentials;
    readonly label: string;
    readonly secrets: readonly SecretName[];
    readonly needsKeyFile?: boolean;
  }[];
  readonly attributes: readonly AttributeField[];
}

const PREFIX: AttributeField = {
  name: 'prefix',
  label: 'Prefix',
  description: 'Limits the storage to names that start with it, such as photos/2024/.',
};

export const PROVIDERS: Readonly<Partial<Record<Provider, ProviderFields>>> = {
  AWS_S3_BUCKET: {
    label: 'Amazon S3 or compatible',
    resource: 'Bucket',
    credentials: [
      { type: 'KEY_SECRET_KEY_PAIR', label: 'Access key', secrets: ['key', 'secret_key', 'session_token'] },
      { type: 'ANONYMOUS_ACCESS', label: 'Anonymous access', secrets: [] },
    ],
    attributes: [
      { name: 'region', label: 'Region', description: 'Default: us-east-1.' },
      { name: 'endpoint_url', label: 'Endpoint URL', description: 'For servers other than Amazon, such as MinIO.' },
      PREFIX,
    ],
  },
  AZURE_CONTAINER: {
    label: 'Azure Blob Storage',
    resource: 'Container',
    credentials: [
      {
        type: 'ACCOUNT_NAME_TOKEN_PAIR',
        label: 'Account name and SAS token',
        secrets: ['account_name', 'session_token'],
      },
      { type: 'CONNECTION_STRING', label: 'Connection string', secrets: ['connection_string'] },
      { type: 'ANONYMOUS_ACCESS', label: 'Anonymous access', secrets: ['account_name'] },
    ],
    attributes: [
      {
        name: 'endpoint_url',
        label: 'Endpoint URL',
        description: 'For accounts on other servers than those of the public cloud.',
      },
      PREFIX,
    ],
  },
  GOOGLE_CLOUD_STORAGE: {
    label: 'Google Cloud Storage',
    resource: 'Bucket',
    credentials: [
      { type: 'KEY_FILE_PATH', label: 'Key file', secrets: [], needsKeyFile: true },
      { type: 'ANONYMOUS_ACCESS', label: 'Anonymous access', secrets: [] },
    ],
    attributes: [
      { name: 'project_id', label: 'Project ID', description: 'ID of the Google Cloud project.' },
      { name: 'location', label: 'Location', description: 'Such as europe-west1.' },
      PREFIX,
    ],
  },
};

export const providerLabel = (provider: Provider): string => PROVIDERS[provider]?.label ?? provider;

/** @returns the fields of the selected credentials type, or undefined if the provider does not support it */
export const credentialsOf = ({ provider_type: provider, credentials_type: type }: StorageValues) =>
  PROVIDERS[provider]?.credentials.find((each) => each.type === type);

export const toValues = (storage: CloudStorage): StorageValues => ({
  display_name: storage.display_name,
  description: storage.description,
  provider_type: storage.provider_type,
  resource: storage.resource,
  credentials_type: storage.credentials_type,
  attributes: Object.fromEntries(new URLSearchParams(storage.specific_attributes)),
  manifests: storage.manifests.join('\n'),
});

/** Converts form values to a request body. Secrets of other credentials types are left out. */
export function toBody(values: StorageValues, secrets: Secrets): Record<string, unknown> {
  const { display_name, description, provider_type, resource, credentials_type, attributes, manifests } = values;
  const used = credentialsOf(values)?.secrets ?? [];
  const given = Object.entries(attributes).filter(([, value]) => value.trim() !== '');
  return {
    display_name: display_name.trim(),
    description,
    provider_type,
    resource: resource.trim(),
    credentials_type,
    specific_attributes: new URLSearchParams(given.map(([name, value]) => [name, value.trim()])).toString(),
    manifests: manifests
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    ...Object.fromEntries(used.filter((name) => secrets[name] !== '').map((name) => [name, secrets[name]])),
  };
}

/**
 * @param error of the field `specific_attributes`
 * @returns the attribute that it is about: the one that names the server which cannot be reached, or the one that the error
 * names. Others are shown at the last one
 */
export function attributeWithError(
  { provider_type: provider, attributes }: Pick<StorageValues, 'provider_type' | 'attributes'>,
  error: string | undefined,
): string | undefined {
  if (error === undefined) return undefined;
  const names = PROVIDERS[provider]?.attributes.map(({ name }) => name) ?? [];
  if (error.includes('cannot be reached')) {
    const hasEndpoint = (attributes['endpoint_url'] ?? '').trim() !== '';
    const server = names.find((name) => name === (hasEndpoint ? 'endpoint_url' : 'region'));
    if (server !== undefined) return server;
  }
  return names.find((name) => new RegExp(`\\b${name}\\b`).test(error)) ?? names.at(-1);
}
