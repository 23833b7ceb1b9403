import { describe, expect, it } from '@jest/globals';
import { FrameMatcher } from './import-batch.js';

const frames = ['a/1.jpg', 'b/1.jpg', 'b/2.jpg', 'b/2.png', 'v1.5', 'é.JPG', 'e.v2.jpg'].map((name, frame) => ({
  frame,
  number: 100 + 10 * frame,
  name,
  width: 1,
  height: 1,
}));

const images = new FrameMatcher({ frames, mode: 'annotation' });
const video = new FrameMatcher({ frames, mode: 'interpolation' });

describe('FrameMatcher', () => {
  it.each([
    ['a/1.jpg', 0],
    ['b/1', 1],
    ['b\\1.png', 1],
    ['b/2.png', 3],
    ['v1.5', 4],
    ['v1.5.png', 4],
    ['x/y/é.png', 5],
    ['/other/v1.5', 4],
    ['e.v2', 6],
    ['x/e.v2', 6],
  ])('%s', (name, frame) => {
    expect(images.named(name, 'a file').frame).toBe(frame);
  });

  it.each(['1.jpg', 'b/2', 'c.jpg', 'frame_000110', '../etc/passwd', ''])(
    'not %j, which could be several or none',
    (name) => {
      expect(() => images.named(name, 'a file', 110)).toThrow(
        /^cvat.apps.dataset_manager.bindings.CvatImportError: Could not match/,
      );
    },
  );

  it('says which frames an ambiguous name may be', () => {
    const matcher = new FrameMatcher({ frames: ['e.jpg', 'e.png'].map((name, frame) => ({ frame, number: frame, name, width: 1, height: 1 })), mode: 'annotation' }); // prettier-ignore
    expect(() => matcher.named('e', 'a file')).toThrow("'e' with any task frame: it may be 'e.jpg' or 'e.png'");
  });

  it.each(['cafe\u0301.jpg', 'caf\u00e9.jpg', 'x/caf\u00e9'])('%j, however é is written', (name) => {
    for (const own of ['cafe\u0301.jpg', 'caf\u00e9.jpg']) {
      const matcher = new FrameMatcher({ frames: frames.slice(0, 1).map((frame) => ({ ...frame, name: own })), mode: 'annotation' }); // prettier-ignore
      expect(matcher.named(name, 'a file').frame).toBe(0);
    }
  });

  it('prefers the same characters if frames have both', () => {
    const names = ['e\u0301.jpg', '\u00e9.jpg'];
    const both = names.map((name, frame) => ({ frame, number: frame, name, width: 1, height: 1 }));
    const matcher = new FrameMatcher({ frames: both, mode: 'annotation' });
    expect(names.map((name) => matcher.named(name, 'a file').frame)).toEqual([0, 1]);
  });

  it('finds frames of videos by number', () => {
    expect(video.named('frame_000110.png', 'a file').frame).toBe(1);
    expect(video.named('anything', 'a file', 120).frame).toBe(2);
    expect(() => video.named('frame_000111', 'a file')).toThrow("'frame_000111'");
    expect(video.numbered(130)?.frame).toBe(3);
  });
});
