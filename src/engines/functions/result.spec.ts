import { describe, expect, it } from '@jest/globals';
import { emptyData, type Shape } from '../../shared/annotations/model.js';
import { paramsForAgent } from './request-params.js';
import { onFrames, readToolResult, ResultInvalid, shiftShapes } from './result.js';

const POINT = { type: 'points', points: [1, 2] };
const SIZE = { width: 100, height: 80 };
const ROI = [10, 20, 60, 70] as const;
const shape = (type: Shape['type'], points: number[], frame = 0): Shape => ({
  id: null,
  label_id: 1,
  group: 0,
  source: 'auto',
  attributes: [],
  type,
  frame,
  points,
  rotation: 0,
  occluded: false,
  outside: false,
  z_order: 0,
  score: 1,
  elements: [],
});

describe('paramsForAgent', () => {
  it('sends prompts relative to the region of interest', () => {
    const prompts = {
      pos_points: [[11, 22]],
      neg_points: [[12, 23]],
      obj_bbox: [
        [10, 20],
        [30, 40],
      ],
    } as const;
    expect(paramsForAgent(7, { type: 'interact', frame: 3, roi: ROI, ...prompts })).toEqual({
      type: 'interact',
      task: 7,
      frame: 3,
      roi: ROI,
      pos_points: [[1, 2]],
      neg_points: [[2, 3]],
      obj_bbox: [
        [0, 0],
        [20, 20],
      ],
    });
  });

  it('sends other parameters as they are', () => {
    expect(paramsForAgent(7, { type: 'track', frame: 3, states: ['s'] })).toEqual({
      type: 'track',
      task: 7,
      frame: 3,
      states: ['s'],
    });
  });
});

describe('the results of an agent', () => {
  it('are moved from the region of interest to the frame', () => {
    const skeleton = { ...shape('skeleton', []), elements: [shape('points', [1, 2])] };
    const shapes = [shape('rectangle', [0, 0, 5, 6]), shape('mask', [0, 4, 3, 3, 4, 4]), skeleton];
    shiftShapes(shapes, ROI);
    expect(shapes.map(({ points }) => points)).toEqual([[10, 20, 15, 26], [0, 4, 13, 23, 14, 24], []]);
    expect(skeleton.elements[0]?.points).toEqual([11, 22]);
  });

  it('are limited to some frames', () => {
    const data = { ...emptyData(), shapes: [shape('rectangle', [0, 0, 1, 1], 1), shape('rectangle', [0, 0, 1, 1], 2)] };
    expect(onFrames(data, (frame) => frame === 2).shapes.map(({ frame }) => frame)).toEqual([2]);
  });

  it('of a tracker have a state, and a shape or null, for each object', () => {
    const params = { type: 'track', frame: 1, states: ['a', 'b'] } as const;
    const body = { states: ['a', 'b'], shapes: [{ type: 'rectangle', points: [1, 2, 3, 4], more: 1 }, null] };
    expect(readToolResult(params, body, SIZE)).toEqual({
      states: ['a', 'b'],
      shapes: [{ type: 'rectangle', points: [1, 2, 3, 4] }, null],
    });
    expect(readToolResult({ type: 'init_tracking', frame: 1, shapes: [] }, { states: [] }, SIZE)).toEqual({
      states: [],
    });
  });

  it('of an interactor are moved as well', () => {
    const params = { type: 'interact', frame: 1, roi: ROI, pos_points: [], neg_points: [], obj_bbox: [] } as const;
    const attributes = [{ spec_id: 0, value: '0.9' }];
    const body = {
      shapes: [
        { type: 'mask', points: [0, 4, 3, 3, 4, 4], attributes },
        { type: 'points', points: [1, 2] },
      ],
    };
    expect(readToolResult(params, body, SIZE)).toEqual({
      shapes: [
        { type: 'mask', points: [0, 4, 13, 23, 14, 24], attributes },
        { type: 'points', points: [11, 22], attributes: [] },
      ],
    });
  });

  const interact = { type: 'interact', frame: 1, pos_points: [], neg_points: [], obj_bbox: [] } as const;
  it.each([
    [{ type: 'track', frame: 1, states: ['a'] }, { states: ['a'] }, 'shapes'],
    [{ type: 'track', frame: 1, states: ['a'] }, { states: ['a'], shapes: [null, null] }, 'shapes'],
    [{ type: 'track', frame: 1, states: ['a'] }, { states: [7], shapes: [null] }, 'states'],
    [interact, {}, 'shapes'],
    [interact, { shapes: [null] }, 'shapes'],
    [interact, { shapes: [{ type: 'circle', points: [1, 2] }] }, 'shapes'],
    [interact, { shapes: [{ type: 'rectangle', points: [1, 2] }] }, 'shapes'],
    [interact, { shapes: [{ type: 'points', points: ['1', 2] }] }, 'shapes'],
    [interact, { shapes: [{ type: 'points', points: [1, 2], attributes: [{ value: 3 }] }] }, 'shapes'],
    [interact, { shapes: [{ ...POINT, attributes: [{ spec_id: 0, value: 'a\0' }] }] }, 'shapes'],
    [{ type: 'track', frame: 1, states: ['a'] }, { states: ['a\0'], shapes: [null] }, 'states'],
    [
      { type: 'init_tracking', frame: 1, shapes: [{ type: 'points', points: [1, 2] }] },
      { states: ['\ud800'] },
      'states',
    ],
    [interact, { shapes: [{ type: 'points', points: [1, Infinity] }] }, 'shapes'],
    [interact, { shapes: [{ type: 'mask', points: [0, 4, 0, 0, 2, 2] }] }, 'shapes'],
    [interact, { shapes: [{ type: 'mask', points: [0, 900_000_000, 0, 0, 29_999, 29_999] }] }, 'shapes'],
    [interact, { shapes: [{ type: 'mask', points: [0, 2, -1, 0, 0, 0] }] }, 'shapes'],
    [{ ...interact, roi: ROI }, { shapes: [{ type: 'mask', points: [0, 1, 90, 0, 90, 0] }] }, 'shapes'],
    [interact, { shapes: Array.from({ length: 20_001 }, () => POINT) }, 'shapes'],
    [
      { type: 'track', frame: 1, states: ['a'] },
      { states: ['a'], shapes: [{ type: 'mask', points: [0, 1, 0, 80, 0, 80] }] },
      'shapes',
    ],
  ] as const)('are refused if they do not fit (%#)', (params, body, field) => {
    const read = (): unknown => readToolResult(params, body, SIZE);
    expect(read).toThrow(ResultInvalid);
    expect(read).toThrow(expect.objectContaining({ field }));
  });
});
