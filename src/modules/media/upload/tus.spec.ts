import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import type { ProcessLocks } from '../../../core/database/process-locks.js';
import type { MediaStorage } from '../../../core/media-storage/media-storage.js';
import { PieceWriter, readByteCount, readUploadKey, readUploadMetadata, uploadKey } from './tus.js';

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

describe('PieceWriter', () => {
  /** The body of a request whose client sends `text` and then nothing more, or all of it. */
  const bodyOf = (text: string, { complete }: { readonly complete: boolean }) => {
    const body = Object.assign(new Readable({ read: () => undefined }), { headers: {}, complete });
    body.on('error', () => undefined).push(text);
    if (complete) body.push(null);
    return body as unknown as Request;
  };

  it('gives the file to the last of several requests, after what the first one has sent is stored', async () => {
    let stored = '';
    const [received, written] = [new EventEmitter(), new EventEmitter()];
    const isWritten = once(written, 'go');
    const place = {
      append: async (_key: string, _offset: number, pieces: AsyncIterable<Buffer>) => {
        for await (const piece of pieces) {
          received.emit('piece');
          await isWritten; // the disk is slow
          stored += piece.toString();
        }
        return stored.length;
      },
    };
    const storage = { placeOfUpload: () => Promise.resolve({ place, bytes: stored.length }) };
    const locks = { take: () => Promise.resolve({ isLost: false, release: () => Promise.resolve() }) };
    const pieces = new PieceWriter(locks as unknown as ProcessLocks, storage as unknown as MediaStorage);
    const file = { key: 'uploads/x', length: 6 };
    const begun = once(received, 'piece');
    const first = pieces.append(file, 0, bodyOf('abc', { complete: false }));
    await begun;
    const requests = [
      first,
      pieces.append(file, 3, bodyOf('?', { complete: false })),
      pieces.append(file, 3, bodyOf('def', { complete: true })),
      pieces.received(file),
    ];
    const outcomes = Promise.allSettled(requests);
    written.emit('go');
    expect((await outcomes).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'ended'))).toEqual([
      'ended',
      'ended',
      6,
      6,
    ]);
    expect(stored).toBe('abcdef');
  });
});
