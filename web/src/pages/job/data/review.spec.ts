import { FrameSet } from '../frames/frame-set';
import { activeKey, advance, newReview, type Review, type Step } from './review';

const frames = new FrameSet({
  job: { start_frame: 5, stop_frame: 9 },
  meta: {
    chunk_size: 2,
    start_frame: 5,
    frame_filter: '',
    frames: [],
    deleted_frames: [],
    included_frames: null,
    frame_rate: null,
  },
});
const after = (review: Review, ...steps: Step[]): Review =>
  steps.reduce((state, step) => advance(frames, state, step), review);

describe('a review', () => {
  it('stays within the job and records the direction', () => {
    const review = newReview(5);
    expect(after(review, { do: 'step', by: 10 })).toMatchObject({ frame: 9, direction: 1 });
    expect(after(review, { do: 'go', to: 99 }, { do: 'step', by: -1 })).toMatchObject({ frame: 8, direction: -1 });
  });

  it('plays to the end, and from the start if it is at the end', () => {
    const playing = after(newReview(8), { do: 'play' });
    expect(playing.isPlaying).toBe(true);
    const ended = after(playing, { do: 'step', by: 1 });
    expect(ended).toMatchObject({ frame: 9, isPlaying: false });
    expect(after(ended, { do: 'play' })).toMatchObject({ frame: 5, isPlaying: true });
  });

  it('changes the speed step by step', () => {
    const faster = after(newReview(5), { do: 'change-speed', by: 1 }, { do: 'change-speed', by: 1 });
    expect(faster.speed).toBe(4);
    expect(after(faster, { do: 'change-speed', by: 1 }).speed).toBe(4);
    expect(after(newReview(5), { do: 'change-speed', by: -1 }).speed).toBe(0.5);
  });

  it('repeats the last tool that draws, and draws polygons with the scissors', () => {
    const drawn = after(newReview(5), { do: 'use', tool: 'ellipse' }, { do: 'use', tool: 'select' });
    expect(drawn).toMatchObject({ drawing: 'ellipse', repeated: 'ellipse' });
    const cut = after(drawn, { do: 'use', tool: 'scissors' }, { do: 'use', tool: 'move' });
    expect(cut).toMatchObject({ drawing: 'polygon', repeated: 'scissors' });
    expect(after(cut, { do: 'use', tool: 'clicks' })).toMatchObject({ drawing: 'polygon', repeated: 'clicks' });
  });

  it('hides and shows objects by key', () => {
    const hidden = after(
      newReview(5),
      { do: 'mark', as: 'hidden', keys: ['a'] },
      { do: 'mark', as: 'hidden', keys: ['b'] },
    );
    expect(after(hidden, { do: 'mark', as: 'hidden', keys: ['a'] }).hidden).toEqual(new Set(['b']));
  });

  it('opens an issue on its frame', () => {
    const review = after(newReview(5), { do: 'play' }, { do: 'open-issue', id: 3, frame: 8 });
    expect(review).toMatchObject({ issue: 3, frame: 8, tab: 'issues', isPlaying: false });
  });

  it('opens a conflict on its frame with its objects selected, until others are selected', () => {
    const opened = after(newReview(5), { do: 'open-conflict', id: 4, frame: 7, keys: ['truth shape:2', 'shape:1'] });
    expect(opened).toMatchObject({ conflict: 4, frame: 7, tab: 'conflicts', selected: ['truth shape:2', 'shape:1'] });
    expect(after(opened, { do: 'select', key: 'shape:3' })).toMatchObject({ conflict: null, tab: 'objects' });
    expect(after(opened, { do: 'cancel' })).toMatchObject({ conflict: null, selected: [] });
  });

  it('starts the draft of an issue where the tool was used, and deselects the tool', () => {
    const drafted = after(newReview(6), { do: 'use', tool: 'issue' }, { do: 'draft', position: [1, 2] });
    expect(drafted).toMatchObject({ draft: { frame: 6, position: [1, 2] }, tool: 'select', tab: 'issues' });
    expect(after(drafted, { do: 'end-draft', created: 4 })).toMatchObject({ draft: null, issue: 4 });
  });

  it('locks objects, and unlocks them if all are locked', () => {
    const mark = (...keys: string[]): Step => ({ do: 'mark', as: 'locked', keys });
    const both = after(newReview(5), mark('a'), mark('a', 'b'));
    expect(both.locked).toEqual(new Set(['a', 'b']));
    expect(after(both, mark('a', 'b')).locked).toEqual(new Set());
    expect(after(both, mark('a')).locked).toEqual(new Set(['b']));
  });

  it('selects several objects in order, and the last one is active', () => {
    const several = after(
      newReview(5),
      { do: 'select', key: 'a' },
      { do: 'toggle-selected', key: 'b' },
      { do: 'select-all', keys: ['a', 'c'], adds: true },
    );
    expect(several.selected).toEqual(['a', 'b', 'c']);
    expect(activeKey(several)).toBe('c');
    expect(after(several, { do: 'toggle-selected', key: 'b' }).selected).toEqual(['a', 'c']);
    expect(after(several, { do: 'select', key: 'b' }).selected).toEqual(['b']);
  });

  it('cancels the tool first, then the selection', () => {
    const review = after(newReview(5), { do: 'select', key: 'a' }, { do: 'use', tool: 'move' });
    const once = after(review, { do: 'cancel' });
    expect(once).toMatchObject({ tool: 'select', selected: ['a'] });
    expect(after(once, { do: 'cancel' }).selected).toEqual([]);
  });
});
