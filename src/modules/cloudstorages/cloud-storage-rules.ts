import { Invalid } from '../../core/http/errors/errors.js';

/** A cloud storage to be saved, with unencrypted credentials. */
export interface WantedStorage {
  readonly provider_type: string;
  readonly resource: string;
  readonly credentials_type: string;
  readonly key: string;
  readonly secret_key: string;
  /** Whether existing credentials are kept. */
  readonly keepsCredentials: boolean;
  readonly specific_attributes: string;
  readonly manifests: readonly string[];
}

const PROVIDER = 'Only AWS_S3_BUCKET is supported: Amazon S3 and compatible servers.';

/** Checks everything that does not require access to the bucket. @throws Invalid with every invalid field */
export function requireUsable(wanted: WantedStorage): void {
  const attributes = readSpecificAttributes(wanted.specific_attributes);
  const hasPair = wanted.key !== '' && wanted.secret_key !== '';
  const needsPair = wanted.credentials_type === 'KEY_SECRET_KEY_PAIR' && !wanted.keepsCredentials;
  const problems = {
    provider_type: wanted.provider_type !== 'AWS_S3_BUCKET' && PROVIDER,
    resource:
      !/^[a-z0-9.-]{3,}$/.test(wanted.resource) &&
      'The name of a bucket has at least 3 lower case letters, digits, dots and hyphens.',
    credentials_type:
      !['KEY_SECRET_KEY_PAIR', 'ANONYMOUS_ACCESS'].includes(wanted.credentials_type) &&
      'For AWS_S3_BUCKET it is KEY_SECRET_KEY_PAIR or ANONYMOUS_ACCESS.',
    key: needsPair && !hasPair && 'KEY_SECRET_KEY_PAIR needs key and secret_key.',
    specific_attributes: typeof attributes === 'string' && attributes,
    manifests: !wanted.manifests.every((name) => name.endsWith('.jsonl')) && 'Names of manifests end with .jsonl.',
  };
  const found = Object.entries(problems).filter(([, problem]) => problem !== false);
  if (found.length > 0) throw new Invalid(Object.fromEntries(found.map(([name, problem]) => [name, [problem]])));
}

/** The content of `specific_attributes`. */
export interface SpecificAttributes {
  readonly region: string;
  /** URL of a server other than the provider's own. */
  readonly endpoint: string | null;
  /** Prefix of all keys; empty for none. */
  readonly prefix: string;
}

const KNOWN = ['region', 'endpoint_url', 'prefix'];
const DEFAULT_REGION = 'us-east-1';

/**
 * Parses `a=b&c=d` with URL-encoded values (`%3A` is a colon).
 * @returns a sentence if it is invalid
 */
export function readSpecificAttributes(text: string): SpecificAttributes | string {
  const pairs = text === '' ? [] : text.split('&');
  if (pairs.some((pair) => pair.split('=').length !== 2)) return 'Each attribute has the form name=value.';
  const values = new URLSearchParams(text);
  const unknown = [...values.keys()].find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) return `"${unknown}" is not known here, only ${KNOWN.join(', ')}.`;
  const prefix = values.get('prefix') ?? '';
  if (prefix.startsWith('/')) return 'prefix may not begin with a slash.';
  if (prefix.includes('//')) return 'prefix may not have two slashes together.';
  const endpoint = values.get('endpoint_url') ?? '';
  if (endpoint !== '' && !isEndpoint(endpoint)) return 'endpoint_url is not an http or https address of a server.';
  return { region: values.get('region') || DEFAULT_REGION, endpoint: endpoint === '' ? null : endpoint, prefix };
}

function isEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  return url !== null && isHttp && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
