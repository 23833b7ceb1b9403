import { type FrameFacts, FrameSet } from './frame-set';

const frame = (name: string) => ({ name, width: 10, height: 20 });
const facts = (job: FrameFacts['job'], meta: Partial<FrameFacts['meta']>, areDeletedShown = false): FrameSet =>
  new FrameSet(
    {
      job,
      meta: {
        chunk_size: 2,
        start_frame: job.start_frame,
        frame_filter: '',
        frames: [frame('a'), frame('b'), frame('c')],
        deleted_frames: [],
        included_frames: null,
        frame_rate: null,
        ...meta,
      },
    },
    areDeletedShown,
  );

describe('FrameSet', () => {
  it('counts positions from the start of the job', () => {
    const frames = facts({ start_frame: 5, stop_frame: 7 }, { deleted_frames: [6] });
    expect(frames.numbers).toEqual([5, 6, 7]);
    expect([frames.count, frames.position(6), frames.position(9)]).toEqual([3, 1, -1]);
    expect(frames.info(6).name).toBe('b');
    expect([5, 6].map((number) => frames.isDeleted(number))).toEqual([false, true]);
    expect(frames.stops).toEqual([5, 7]);
  });

  it('skips deleted frames unless they are shown', () => {
    const range = { start_frame: 0, stop_frame: 5 };
    const deleted = { deleted_frames: [0, 2, 3, 5] };
    const frames = facts(range, deleted);
    expect([frames.step(1, 1), frames.step(4, -1), frames.step(3, 1), frames.step(0, 9)]).toEqual([4, 1, 4, 4]);
    expect([frames.step(4, 1), frames.step(1, -1)]).toEqual([4, 1]);
    expect(frames.find(1, true, (number) => number !== 1)).toBe(4);
    expect(frames.find(4, true, () => true)).toBeUndefined();
    expect(frames.find(4, false, () => true)).toBe(1);
    expect(facts(range, deleted, true).step(1, 1)).toBe(2);
  });

  it('maps selected source frames to frame numbers of the task', () => {
    const frames = facts(
      { start_frame: 2, stop_frame: 6 },
      { start_frame: 16, frame_filter: 'step = 3', included_frames: [16, 22, 28] },
    );
    expect(frames.numbers).toEqual([2, 4, 6]);
    expect(frames.position(6)).toBe(2);
    expect([frames.nearest(5), frames.nearest(-3), frames.nearest(99)]).toEqual([4, 2, 6]);
    expect([frames.step(2, 1), frames.step(4, 9), frames.step(4, -9)]).toEqual([4, 6, 2]);
  });

  it('supports videos, which have one entry for all frames', () => {
    const frames = facts({ start_frame: 0, stop_frame: 50 }, { frames: [frame('a.mp4')], chunk_size: null });
    expect(frames.rate).toBe(25);
    expect(frames.info(30).name).toBe('a.mp4');
    expect(frames.chunkSize).toBe(36);
  });

  it('plays every Nth frame of a video at an Nth of its rate', () => {
    const frames = facts({ start_frame: 0, stop_frame: 9 }, { frame_rate: 30, frame_filter: 'step=3' });
    expect(frames.rate).toBe(10);
  });
});
