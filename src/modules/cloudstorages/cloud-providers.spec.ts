import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Invalid } from '../../core/http/errors/errors.js';
import {
  readKeyFile,
  readSpecificAttributes,
  requireUsable,
  storedCredentials,
  type WantedStorage,
} from './cloud-providers.js';

describe('readSpecificAttributes', () => {
  it('applies defaults', () => {
    expect(readSpecificAttributes('')).toEqual({ region: '', endpoint: null, prefix: '' });
    expect(readSpecificAttributes('endpoint_url=http%3A%2F%2Fminio%3A9000&prefix=a/b&region=eu-west-1')).toEqual({
      region: 'eu-west-1',
      endpoint: 'http://minio:9000',
      prefix: 'a/b',
    });
  });

  it.each([
    ['region', 'Each attribute has the form name=value.'],
    ['a=b=c', 'Each attribute has the form name=value.'],
    ['region=a&', 'Each attribute has the form name=value.'],
    ['zone=a', '"zone" is not known here, only region, endpoint_url, prefix.'],
    ['prefix=/a', 'prefix may not begin with a slash.'],
    ['prefix=a//b', 'prefix may not have two slashes together.'],
    ['endpoint_url=ftp://a', 'endpoint_url is not an http or https address of a server.'],
    ['endpoint_url=http://u:p@a', 'endpoint_url is not an http or https address of a server.'],
  ])('%s: %s', (text, sentence) =>
    expect(readSpecificAttributes(text, ['region', 'endpoint_url', 'prefix'])).toBe(sentence),
  );
});

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const keyFile = (more: object = {}): string =>
  JSON.stringify({ type: 'service_account', client_email: 'a@b', private_key: KEY, ...more });

const S3: WantedStorage = {
  provider_type: 'AWS_S3_BUCKET',
  resource: 'photos',
  credentials_type: 'KEY_SECRET_KEY_PAIR',
  key: '',
  secret_key: '',
  session_token: '',
  account_name: '',
  connection_string: '',
  key_file: '',
  keepsCredentials: false,
  specific_attributes: '',
  manifests: [],
};
const AZURE = { ...S3, provider_type: 'AZURE_CONTAINER', credentials_type: 'ACCOUNT_NAME_TOKEN_PAIR' };
const GOOGLE = { ...S3, provider_type: 'GOOGLE_CLOUD_STORAGE', credentials_type: 'KEY_FILE_PATH' };

describe('credentials', () => {
  it.each<[string, WantedStorage, object | null]>([
    ['a pair', { ...S3, key: 'k', secret_key: 's' }, { key: 'k', secret: 's' }],
    ['a pair and a token', { ...S3, key: 'k', secret_key: 's', session_token: 't' }, { key: 'k', secret: 's', token: 't' }],
    ['S3 without', { ...S3, credentials_type: 'ANONYMOUS_ACCESS' }, null],
    ['an account', { ...AZURE, account_name: 'abc', session_token: '?sv=1' }, { account: 'abc', sasToken: '?sv=1' }],
    ['an open account', { ...AZURE, credentials_type: 'ANONYMOUS_ACCESS', account_name: 'abc' }, { account: 'abc' }],
    [
      'a connection string',
      { ...AZURE, credentials_type: 'CONNECTION_STRING', connection_string: 'AccountName=a;AccountKey=Yg==' },
      { connectionString: 'AccountName=a;AccountKey=Yg==' },
    ],
    ['a key file', { ...GOOGLE, key_file: keyFile() }, { clientEmail: 'a@b', privateKey: KEY }],
    ['Google without', { ...GOOGLE, credentials_type: 'ANONYMOUS_ACCESS' }, null],
  ])('of %s are stored', (_, wanted, stored) => {
    requireUsable(wanted);
    expect(storedCredentials(wanted)).toEqual(stored);
  }); // prettier-ignore

  it.each<[WantedStorage, object]>([
    [{ ...S3, provider_type: 'GOOGLE_DRIVE' }, { provider_type: [expect.stringMatching(/^GOOGLE_DRIVE is not supported, only /)] }],
    [S3, { key: ['KEY_SECRET_KEY_PAIR needs key and secret_key.'] }],
    [{ ...AZURE, session_token: 't' }, { account_name: ['AZURE_CONTAINER needs account_name or connection_string.'] }],
    [{ ...AZURE, session_token: 't', account_name: 'evil.com/' }, { account_name: [expect.stringMatching(/3 to 24 lower case/)] }],
    [{ ...AZURE, account_name: 'abc' }, { session_token: [expect.stringMatching(/needs the SAS token/)] }],
    [{ ...AZURE, credentials_type: 'KEY_FILE_PATH' }, { credentials_type: [expect.stringMatching(/^For AZURE_CONTAINER it is ACCOUNT/)] }],
    [{ ...AZURE, resource: 'with.dots', account_name: 'abc', session_token: 't' }, { resource: [expect.stringMatching(/name of a container/)] }],
    [{ ...GOOGLE, key_file: keyFile(), specific_attributes: 'endpoint_url=http://a' }, { specific_attributes: [expect.stringMatching(/^"endpoint_url" is not known/)] }],
    [GOOGLE, { key_file: ['KEY_FILE_PATH needs the key file of a service account in key_file.'] }],
    ...['x', 'AccountName=a', 'AccountName=a;AccountKey=?', 'BlobEndpoint=ftp://a;SharedAccessSignature=b'].map(
      (text): [WantedStorage, object] => [
        { ...AZURE, credentials_type: 'CONNECTION_STRING', connection_string: text },
        { connection_string: [expect.stringMatching(/onnection string/)] },
      ],
    ),
  ])('%#: are rejected', (wanted, problems) => {
    const check = (): void => requireUsable(wanted);
    expect(check).toThrow(Invalid);
    expect(problemsOf(check)).toEqual(problems);
  }); // prettier-ignore

  it('of a key file are those of a service account only', () => {
    expect(readKeyFile('{')).toBe('The key file is not JSON.');
    expect(readKeyFile('null')).toMatch(/not the JSON file of a service account/);
    const external = { type: 'external_account', credential_source: { file: '/etc/passwd' } };
    expect(readKeyFile(keyFile(external))).toMatch(/not the JSON file of a service account/);
    expect(readKeyFile(keyFile({ private_key: 'none' }))).toBe('The private_key of the key file cannot be read.');
    const redirected = keyFile({ token_uri: 'http://10.0.0.1/', universe_domain: 'evil.example' });
    expect(readKeyFile(redirected)).toEqual({ clientEmail: 'a@b', privateKey: KEY });
  });
});

function problemsOf(check: () => void): unknown {
  try {
    check();
    return null;
  } catch (error) {
    return error instanceof Invalid ? error.body : error;
  }
}
