import { describe, expect, it } from '@jest/globals';
import { readSpecificAttributes } from './cloud-buckets.js';

describe('readSpecificAttributes', () => {
  it('applies defaults', () => {
    expect(readSpecificAttributes('')).toEqual({ region: 'us-east-1', endpoint: null, prefix: '' });
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
  ])('%s: %s', (text, sentence) => expect(readSpecificAttributes(text)).toBe(sentence));
});
