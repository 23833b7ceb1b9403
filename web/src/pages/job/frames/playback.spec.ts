import { Playback, type PlayedImages } from './playback';

/** Images that are decoded when the test says so. */
class FakeImages implements PlayedImages {
  readonly decoded = new Set<number>();
  readonly asked: number[] = [];
  pending = 0;

  ready(frame: number): unknown {
    return this.decoded.has(frame) ? {} : undefined;
  }

  prepare(frame: number): void {
    this.asked.push(frame);
  }
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

interface GivenPlayback {
  readonly frames?: readonly number[];
  readonly rate?: number;
  /** Default: all. */
  readonly decoded?: readonly number[];
}

function given({ frames = numbers(100), rate = 25, decoded = frames }: GivenPlayback = {}) {
  const images = new FakeImages();
  for (const frame of decoded) images.decoded.add(frame);
  return { images, playback: new Playback({ frames, rate, images }) };
}

describe('Playback', () => {
  it('shows every frame at its time', () => {
    const { playback } = given();
    playback.start(0, 1000);
    expect(playback.next(1039)).toBeUndefined();
    expect([1040, 1060, 1080, 1120].map((now) => playback.next(now))).toEqual([1, undefined, 2, 3]);
  });

  it('keeps the rate of the clip by skipping frames, also of fast clips', () => {
    const { playback } = given();
    playback.start(10, 0);
    expect([playback.next(100), playback.next(200), playback.next(1000)]).toEqual([12, 15, 35]);
    const fast = given({ rate: 100 });
    fast.playback.start(0, 0);
    expect([fast.playback.next(16), fast.playback.next(33)]).toEqual([1, 3]);
  });

  it('shows the latest frame that is decoded', () => {
    const { playback } = given({ decoded: [1, 2, 9] });
    playback.start(0, 0);
    expect([playback.next(200), playback.next(240)]).toEqual([2, undefined]);
    expect(playback.delay(240)).toBe(120);
    expect(playback.following).toBe(3);
  });

  it('continues from the frame that the user has gone to', () => {
    const { playback } = given();
    playback.start(0, 0);
    expect(playback.next(400)).toBe(10);
    playback.start(50, 420);
    expect([playback.frame, playback.next(450), playback.next(460)]).toEqual([50, undefined, 51]);
  });

  it('plays only its frames, and ends with the last one', () => {
    const { playback } = given({ frames: [2, 3, 7] });
    playback.start(5, 0);
    expect([playback.following, playback.hasEnded]).toEqual([7, false]);
    expect([playback.next(40), playback.next(4000), playback.hasEnded]).toEqual([7, undefined, true]);
  });

  it('decodes the next frames, at most four at a time', () => {
    const { playback, images } = given({ decoded: [2] });
    playback.start(0, 0);
    playback.prepare(0);
    expect(images.asked).toEqual([1, 3, 4]);
    images.pending = 4;
    playback.prepare(0);
    expect(images.asked).toHaveLength(3);
  });

  it('decodes from the frame that is due, and no more than can be shown', () => {
    const { playback, images } = given({ rate: 120, decoded: [] });
    playback.start(0, 0);
    playback.prepare(100);
    expect(images.asked).toEqual([12, 14, 16, 18]);
  });
});
