import { Invalid } from '../../core/http/errors.js';
import { readSpecificAttributes } from './specific-attributes.js';

/** A cloud storage as it would be, credentials in the open. */
export interface WantedStorage {
  readonly provider_type: string;
  readonly resource: string;
  readonly credentials_type: string;
  readonly key: string;
  readonly secret_key: string;
  /** Whether there are credentials of before that stay. */
  readonly keepsCredentials: boolean;
  readonly specific_attributes: string;
  readonly manifests: readonly string[];
}

const PROVIDER = 'Only AWS_S3_BUCKET is available on this server: Amazon S3, and what speaks its protocol.';

/** What can be judged without asking the bucket. @throws Invalid with every field that is wrong */
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
