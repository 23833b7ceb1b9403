import { describe, expect, it } from '@jest/globals';
import { MemoryFiles } from '../../../../../test/support/datasets.js';
import { type PendingFile, textFile, writeAhead } from './write-ahead.js';

/** Images that finish when the test says so, with a text in front of each. */
function images(count: number) {
  const started: number[] = [];
  const finish: (() => void)[] = [];
  async function* files(): AsyncGenerator<PendingFile> {
    for (let at = 0; at < count; at++) {
      yield textFile(`${at}.txt`, String(at));
      started.push(at);
      yield { path: `${at}.png`, content: new Promise((done) => finish.push(() => done(Buffer.from('x')))) };
    }
  }
  return { started, finish, files };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('writeAhead', () => {
  it('paints one image ahead, and writes in order', async () => {
    const { started, finish, files } = images(4);
    const sink = new MemoryFiles();
    const done = writeAhead(sink, files());
    await turn();
    expect([started, sink.paths]).toEqual([[0, 1], ['0.txt']]);
    finish[1]?.();
    await turn();
    expect(started).toEqual([0, 1]);
    finish[0]?.();
    await turn();
    expect(started).toEqual([0, 1, 2, 3]);
    finish[2]?.();
    finish[3]?.();
    await done;
    expect(sink.paths).toEqual(['0.txt', '0.png', '1.txt', '1.png', '2.txt', '2.png', '3.txt', '3.png']);
  });

  it('holds few small files back', async () => {
    const sink = new MemoryFiles();
    let most = 0;
    await writeAhead(
      sink,
      (async function* () {
        yield { path: 'a.png', content: Promise.resolve(Buffer.from('x')) };
        for (let at = 0; at < 100; at++) {
          most = Math.max(most, at - sink.paths.length);
          yield textFile(`${at}.txt`, '');
        }
      })(),
    );
    expect([sink.paths.length, most]).toEqual([101, 15]);
  });

  it.each([
    ['in front', [() => failing('no memory'), () => failing('later')]],
    ['that follows', [() => Promise.resolve(Buffer.from('x')), () => failing('no memory')]],
  ])('fails with the error of the image %s', async (_, encoded) => {
    async function* files(): AsyncGenerator<PendingFile> {
      for (const [at, content] of encoded.entries()) yield { path: `${at}.png`, content: content() };
    }
    await expect(writeAhead(new MemoryFiles(), files())).rejects.toThrow('no memory');
  });
});

const failing = (message: string): Promise<Uint8Array> => turn().then(() => Promise.reject(new Error(message)));
