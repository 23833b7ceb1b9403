import { attributeWithError, type Provider } from './storage-values';

const S3: Provider = 'AWS_S3_BUCKET';
const fieldOf = (error: string | undefined, attributes = {}, provider = S3) =>
  attributeWithError({ provider_type: provider, attributes }, error);

describe('the attribute of a cloud storage that an error is about', () => {
  it.each([
    [
      'the endpoint of a server that cannot be reached',
      'http://127.0.0.1:9 cannot be reached: refused.',
      'endpoint_url',
    ],
    [
      'the endpoint, although it has the name of another attribute',
      'http://region.prefix cannot be reached.',
      'endpoint_url',
    ],
    ['the one that the error names', 'prefix may not begin with a slash.', 'prefix'],
    ['the last one for other errors', 'Each attribute has the form name=value.', 'prefix'],
  ])('is %s', (_title, error, field) => {
    expect(fieldOf(error, { endpoint_url: 'http://127.0.0.1:9' })).toBe(field);
  });

  it('is the region if Amazon cannot be reached', () => {
    expect(fieldOf('Amazon S3 cannot be reached: no such host.')).toBe('region');
  });

  it('is none without an error', () => {
    expect(fieldOf(undefined)).toBeUndefined();
  });
});
