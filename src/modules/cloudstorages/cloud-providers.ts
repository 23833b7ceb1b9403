import { createPrivateKey } from 'node:crypto';
import { Invalid } from '../../core/http/errors/errors.js';
import type { ServiceAccount } from '../../engines/object-storage/google-bucket.js';

/** The credentials of a bucket, as they are stored (encrypted). */
export type StoredCredentials = KeyPair | AzureAccount | ConnectionString | ServiceAccount;

/** AWS_S3_BUCKET. */
export interface KeyPair {
  readonly key: string;
  readonly secret: string;
  readonly token?: string;
}

/** AZURE_CONTAINER; without a token for anonymous access. */
export interface AzureAccount {
  readonly account: string;
  readonly sasToken?: string;
}

export interface ConnectionString {
  readonly connectionString: string;
}

/** Fields of a body that contain credentials; empty if absent. */
export interface SecretFields {
  readonly key: string;
  readonly secret_key: string;
  readonly session_token: string;
  readonly account_name: string;
  readonly connection_string: string;
  readonly key_file: string;
}

/** A cloud storage to be saved, with unencrypted credentials. */
export interface WantedStorage extends SecretFields {
  readonly provider_type: string;
  readonly resource: string;
  readonly credentials_type: string;
  /** Whether existing credentials are kept. */
  readonly keepsCredentials: boolean;
  readonly specific_attributes: string;
  readonly manifests: readonly string[];
}

/** Problems by field, false if there is none. */
type Problems = Readonly<Partial<Record<keyof SecretFields, string | false>>>;

interface CredentialsType {
  readonly problems: (fields: SecretFields) => Problems;
  /** Null if there is nothing to keep secret. */
  readonly store: (fields: SecretFields) => StoredCredentials | null;
}

interface Provider {
  /** What the name of a bucket consists of. */
  readonly resource: RegExp;
  readonly resourceRule: string;
  readonly credentials: Readonly<Record<string, CredentialsType>>;
  /** Names in `specific_attributes`. */
  readonly attributes: readonly string[];
}

const ACCOUNT_NAME = /^[a-z0-9]{3,24}$/;
const accountProblem = ({ account_name: account }: SecretFields): string | false =>
  account === ''
    ? 'AZURE_CONTAINER needs account_name or connection_string.'
    : !ACCOUNT_NAME.test(account) && 'The name of an account has 3 to 24 lower case letters and digits.';

const NO_CREDENTIALS: CredentialsType = { problems: () => ({}), store: () => null };

const KEY_PAIR: CredentialsType = {
  problems: ({ key, secret_key: secret }) => ({
    key: (key === '' || secret === '') && 'KEY_SECRET_KEY_PAIR needs key and secret_key.',
  }),
  store: ({ key, secret_key: secret, session_token: token }) => ({ key, secret, ...(token === '' ? {} : { token }) }),
};

const ACCOUNT_AND_TOKEN: CredentialsType = {
  problems: (fields) => ({
    account_name: accountProblem(fields),
    session_token:
      fields.session_token === '' && 'ACCOUNT_NAME_TOKEN_PAIR needs the SAS token of the container in session_token.',
  }),
  store: ({ account_name: account, session_token: sasToken }) => ({ account, sasToken }),
};

const ACCOUNT: CredentialsType = {
  problems: (fields) => ({ account_name: accountProblem(fields) }),
  store: ({ account_name: account }) => ({ account }),
};

const CONNECTION: CredentialsType = {
  problems: ({ connection_string: text }) => ({ connection_string: connectionProblem(text) }),
  store: ({ connection_string: connectionString }) => ({ connectionString }),
};

const KEY_FILE: CredentialsType = {
  problems: ({ key_file: text }) => {
    const account = readKeyFile(text);
    return { key_file: typeof account === 'string' && account };
  },
  store: ({ key_file: text }) => {
    const account = readKeyFile(text);
    return typeof account === 'string' ? null : account;
  },
};

const GOOGLE_RULE = 'The name of a bucket has at least 3 lower case letters, digits, dots, hyphens and underscores.';

const PROVIDER_RULES: Readonly<Partial<Record<string, Provider>>> = {
  AWS_S3_BUCKET: {
    resource: /^[a-z0-9.-]{3,}$/,
    resourceRule: 'The name of a bucket has at least 3 lower case letters, digits, dots and hyphens.',
    credentials: { KEY_SECRET_KEY_PAIR: KEY_PAIR, ANONYMOUS_ACCESS: NO_CREDENTIALS },
    attributes: ['region', 'endpoint_url', 'prefix'],
  },
  AZURE_CONTAINER: {
    resource: /^[a-z0-9-]{3,}$/,
    resourceRule: 'The name of a container has at least 3 lower case letters, digits and hyphens.',
    credentials: {
      ACCOUNT_NAME_TOKEN_PAIR: ACCOUNT_AND_TOKEN,
      CONNECTION_STRING: CONNECTION,
      ANONYMOUS_ACCESS: ACCOUNT,
    },
    attributes: ['endpoint_url', 'prefix'],
  },
  GOOGLE_CLOUD_STORAGE: {
    resource: /^[a-z0-9._-]{3,}$/,
    resourceRule: GOOGLE_RULE,
    credentials: { KEY_FILE_PATH: KEY_FILE, ANONYMOUS_ACCESS: NO_CREDENTIALS },
    attributes: ['project_id', 'project', 'location', 'prefix'],
  },
};

const SUPPORTED = Object.keys(PROVIDER_RULES);

/** For the credentials of anonymous access, which some providers do not have. */
export const storedCredentials = (wanted: WantedStorage): StoredCredentials | null =>
  PROVIDER_RULES[wanted.provider_type]?.credentials[wanted.credentials_type]?.store(wanted) ?? null;

/** Checks everything that does not require access to the bucket. @throws Invalid with every invalid field */
export function requireUsable(wanted: WantedStorage): void {
  const provider = PROVIDER_RULES[wanted.provider_type];
  if (provider === undefined)
    throw new Invalid({
      provider_type: [`${wanted.provider_type} is not supported, only ${SUPPORTED.join(', ')}.`],
    });
  const attributes = readSpecificAttributes(wanted.specific_attributes, provider.attributes);
  const credentials = provider.credentials[wanted.credentials_type];
  const types = Object.keys(provider.credentials).join(' or ');
  const problems = {
    resource: !provider.resource.test(wanted.resource) && provider.resourceRule,
    credentials_type: credentials === undefined && `For ${wanted.provider_type} it is ${types}.`,
    ...(wanted.keepsCredentials ? {} : credentials?.problems(wanted)),
    specific_attributes: typeof attributes === 'string' && attributes,
    manifests: !wanted.manifests.every((name) => name.endsWith('.jsonl')) && 'Names of manifests end with .jsonl.',
  };
  const found = Object.entries(problems).filter(([, problem]) => typeof problem === 'string');
  if (found.length > 0) throw new Invalid(Object.fromEntries(found.map(([name, problem]) => [name, [problem]])));
}

/** The content of `specific_attributes`. */
export interface SpecificAttributes {
  /** Empty for none. */
  readonly region: string;
  /** URL of a server other than the provider's own. */
  readonly endpoint: string | null;
  /** Prefix of all keys; empty for none. */
  readonly prefix: string;
}

const ALL_ATTRIBUTES = [...new Set(SUPPORTED.flatMap((name) => PROVIDER_RULES[name]?.attributes ?? []))];

/**
 * Parses `a=b&c=d` with URL-encoded values (`%3A` is a colon).
 * @returns a sentence if it is invalid
 */
export function readSpecificAttributes(
  text: string,
  known = ALL_ATTRIBUTES as readonly string[],
): SpecificAttributes | string {
  const pairs = text === '' ? [] : text.split('&');
  if (pairs.some((pair) => pair.split('=').length !== 2)) return 'Each attribute has the form name=value.';
  const values = new URLSearchParams(text);
  const unknown = [...values.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined) return `"${unknown}" is not known here, only ${known.join(', ')}.`;
  const prefix = values.get('prefix') ?? '';
  if (prefix.startsWith('/')) return 'prefix may not begin with a slash.';
  if (prefix.includes('//')) return 'prefix may not have two slashes together.';
  const endpoint = values.get('endpoint_url') ?? '';
  if (endpoint !== '' && !isEndpoint(endpoint)) return 'endpoint_url is not an http or https address of a server.';
  return { region: values.get('region') ?? '', endpoint: endpoint === '' ? null : endpoint, prefix };
}

function isEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  return url !== null && isHttp && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}

/**
 * Checks what the provider's library would fail on. Where it connects to is checked for every connection.
 * @returns a sentence if the string cannot be used
 */
function connectionProblem(text: string): string | false {
  if (text === '') return 'CONNECTION_STRING needs connection_string.';
  const parts = new Map(
    text
      .split(';')
      .filter((part) => part.trim() !== '')
      .map((part) => {
        const at = part.indexOf('=');
        return [part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).trim()] as const;
      }),
  );
  const endpoint = parts.get('blobendpoint');
  if (parts.get('usedevelopmentstorage') === 'true') return false;
  if (endpoint !== undefined && !isEndpoint(endpoint))
    return 'BlobEndpoint of the connection string is not an http or https address of a server.';
  const isAccount = parts.has('accountname') && parts.has('accountkey');
  const isSas = endpoint !== undefined && parts.has('sharedaccesssignature');
  if (isAccount && /^[A-Za-z0-9+/]+={0,2}$/.test(parts.get('accountkey') ?? '')) return false;
  if (isSas) return false;
  return 'A connection string has AccountName and AccountKey, or BlobEndpoint and SharedAccessSignature.';
}

/**
 * Reads the key of a service account. Nothing else of the file is used: other types of credentials would name servers
 * to connect to and local files to read.
 * @returns a sentence if the file cannot be used
 */
export function readKeyFile(text: string): ServiceAccount | string {
  if (text === '') return 'KEY_FILE_PATH needs the key file of a service account in key_file.';
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return 'The key file is not JSON.';
  }
  const { type, client_email: email, private_key: key } = (content ?? {}) as Readonly<Record<string, unknown>>;
  if (type !== 'service_account' || typeof email !== 'string' || typeof key !== 'string')
    return 'The key file is not the JSON file of a service account (type, client_email, private_key).';
  if (!isPrivateKey(key)) return 'The private_key of the key file cannot be read.';
  return { clientEmail: email, privateKey: key };
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
