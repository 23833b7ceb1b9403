import { jest } from '@jest/globals';
import { type CairnClient, noProgress, sendResumably } from '../../../clients/typescript/src/index';

const MIB = 2 ** 20;

/** Accepts files of any size. Each piece takes the time that `timeOf` returns for its size. */
function serverOf(timeOf: (bytes: number) => number) {
  let now = 0;
  let offset = 0;
  const pieces: number[] = [];
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const send = (_path: string, { method, body }: { method: string; body?: Blob }): Promise<Response> => {
    if (method === 'POST') return Promise.resolve(new Response(null, { headers: { Location: '/upload' } }));
    const { size } = body ?? new Blob();
    pieces.push(size / MIB);
    now += timeOf(size);
    offset += size;
    return Promise.resolve(new Response(null, { headers: { 'Upload-Offset': String(offset) } }));
  };
  return { client: { send } as unknown as CairnClient, pieces };
}

const sendFile = async (client: CairnClient, mebibytes: number, pace: { bytes: number }): Promise<void> => {
  const file = { name: 'film.mp4', data: new Blob([new Uint8Array(mebibytes * MIB)]) };
  await sendResumably(client, '/collection/', file, noProgress(), { pieceBytes: 8 * MIB, pace });
};

describe('the piece size of an upload', () => {
  afterEach(() => jest.restoreAllMocks());

  it('grows to its limit while pieces are fast', async () => {
    const { client, pieces } = serverOf(() => 100);
    await sendFile(client, 24, { bytes: MIB });
    expect(pieces).toEqual([1, 2, 4, 8, 8, 1]);
  });

  it('shrinks while pieces are slow, and carries over to the next file', async () => {
    const { client, pieces } = serverOf((bytes) => (bytes / MIB) * 10_000);
    const pace = { bytes: MIB };
    await sendFile(client, 2, pace);
    expect(pieces).toEqual([1, 0.5, 0.25, 0.25]);
    expect(pace.bytes).toBe(MIB / 4);
  });
});
