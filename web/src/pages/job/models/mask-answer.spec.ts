import { maskOfAnswer } from './mask-answer';

const image = { width: 6, height: 4 };

describe('maskOfAnswer', () => {
  it('reads rows of the whole image, whatever number marks the foreground', () => {
    const mask = [
      [0, 0, 0, 0, 0, 0],
      [0, 0, 255, 255, 0, 0],
      [0, 0, 0, 255, 0, 0],
      [0, 0, 0, 0, 0, 0],
    ];
    expect(maskOfAnswer({ mask }, image)).toEqual([0, 2, 1, 1, 2, 1, 3, 2]);
  });

  it('reads rows within bounds, and crops them to the image', () => {
    const mask = [
      [1, 1],
      [1, 1],
    ];
    expect(maskOfAnswer({ mask, bounds: [2, 1, 3, 2] }, image)).toEqual([0, 4, 2, 1, 3, 2]);
    expect(maskOfAnswer({ mask, bounds: [5, 3, 6, 4] }, image)).toEqual([0, 1, 5, 3, 5, 3]);
  });

  it('reads the first mask among shapes, and prefers it to rows', () => {
    const shapes = [
      { type: 'points', points: [1, 1] },
      { type: 'mask', points: [0, 4, 1, 1, 2, 2] },
    ];
    expect(maskOfAnswer({ shapes, mask: [[1]] }, image)).toEqual([0, 4, 1, 1, 2, 2]);
  });

  it('knows empty masks and answers without any', () => {
    expect(maskOfAnswer({ mask: [[0, 0]] }, image)).toBeUndefined();
    expect(maskOfAnswer({ shapes: [] }, image)).toBeUndefined();
    for (const answer of [{ blob: 'AAAA' }, null, { shapes: [{ type: 'points', points: [1, 1] }] }])
      expect(() => maskOfAnswer(answer, image)).toThrow('did not return a mask');
  });

  it('reads rows of truth values', () => {
    expect(maskOfAnswer({ mask: [[false, true]] }, image)).toEqual([0, 1, 1, 0, 1, 0]);
  });

  it.each([
    [{ mask: 'nope' }, 'did not return a mask'],
    [{ mask: ['nope'] }, 'did not return a mask'],
    [{ mask: [['nope']] }, 'did not return a mask'],
    [{ shapes: 'nope' }, 'did not return a mask'],
    [{ shapes: [null, 'nope'] }, 'did not return a mask'],
    [{ mask: [[1]], bounds: 'nope' }, 'a mask with invalid bounds'],
    [{ mask: [[1]], bounds: [0, null, 1, 1] }, 'a mask with invalid bounds'],
    [{ shapes: [{ type: 'mask', points: 'nope' }] }, 'an invalid mask'],
    [{ shapes: [{ type: 'mask', points: [1, 2] }] }, 'an invalid mask'],
  ])('says what is wrong with %j', (answer, text) => {
    expect(() => maskOfAnswer(answer, image)).toThrow(text);
  });
});
