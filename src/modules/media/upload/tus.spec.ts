import { describe, expect, it } from '@jest/globals';
import { readByteCount, readUploadKey, readUploadMetadata, uploadKey } from './tus.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('readUploadMetadata', () => {
  it('decodes names in any script', () => {
    const metadata = readUploadMetadata(`filename ${base64('снимок 1.jpg')}, filetype ${base64('image/jpeg')},empty`);
    expect([...metadata]).toEqual([
      ['filename', 'снимок 1.jpg'],
      ['filetype', 'image/jpeg'],
      ['empty', ''],
    ]);
  });

  it.each(['filename a.jpg', 'filename /w==', 'filename AA=='])('rejects %s', (header) => {
    expect(() => readUploadMetadata(header)).toThrow("The value of 'filename' in Upload-Metadata");
  });
});

describe('readByteCount', () => {
  it.each([
    ['0', 0],
    ['12', 12],
  ])('%s', (text, count) => {
    expect(readByteCount('Upload-Offset', text, 0)).toBe(count);
  });

  it.each([undefined, '', '-1', '1.5', '1e3', '0'])('rejects %s', (text) => {
    expect(() => readByteCount('Upload-Length', text, 1)).toThrow('Upload-Length must be a whole number of at least 1');
  });
});

describe('readUploadKey', () => {
  it('reverses uploadKey and accepts nothing else', () => {
    const fileId = '84f52ec8-0c3c-4f50-a5b4-b8895360ced4';
    expect(readUploadKey(uploadKey(3, fileId))).toEqual({ userId: 3, fileId });
    for (const wrong of ['', fileId, `x_${fileId}`, `3_${fileId}0`, '3_../../etc'])
      expect(readUploadKey(wrong)).toBeNull();
  });
});
