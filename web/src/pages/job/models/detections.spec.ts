import type { Label } from '../../../app/api';
import { checkedDetections, detectedObjects } from './detections';

const label = (id: number, more: Partial<Label> = {}): Label =>
  ({ id, name: `label ${id}`, attributes: [], ...more }) as Label;
const attribute = (id: number, value: string) => ({ id, name: `attribute ${id}`, default_value: value });

describe('detectedObjects', () => {
  it('completes what a detector leaves out', () => {
    const labels = [label(1, { attributes: [attribute(4, 'red'), attribute(5, 'small')] as never })];
    const shape = {
      label_id: 1,
      type: 'rectangle' as const,
      points: [1, 2, 3, 4],
      attributes: [{ spec_id: 5, value: 'large' }],
    };
    expect(detectedObjects({ shapes: [{ ...shape, score: 0.5 }] }, 7, labels)).toEqual([
      {
        kind: 'shape',
        value: {
          id: null,
          label_id: 1,
          frame: 7,
          type: 'rectangle',
          points: [1, 2, 3, 4],
          rotation: 0,
          group: 0,
          source: 'auto',
          occluded: false,
          outside: false,
          z_order: 0,
          score: 0.5,
          attributes: [
            { spec_id: 4, value: 'red' },
            { spec_id: 5, value: 'large' },
          ],
          elements: [],
        },
      },
    ]);
  });

  it('keeps tags and the elements of skeletons, and leaves out labels that the job does not have', () => {
    const labels = [label(1), label(2, { sublabels: [label(3)] as never })];
    const elements = [
      { label_id: 3, type: 'points' as const, points: [1, 1], outside: true },
      { label_id: 9, type: 'points' as const, points: [2, 2] },
    ];
    const objects = detectedObjects(
      {
        tags: [{ label_id: 1 }, { label_id: 9 }],
        shapes: [{ label_id: 2, type: 'skeleton', points: [], elements: elements as never }, { label_id: 9 }],
      },
      0,
      labels,
    );
    expect(objects.map(({ kind, value }) => [kind, value.label_id])).toEqual([
      ['tag', 1],
      ['shape', 2],
    ]);
    expect(objects[1]?.value).toMatchObject({ elements: [{ label_id: 3, outside: true, frame: 0, id: null }] });
  });
});

describe('checkedDetections', () => {
  it('accepts objects, and answers without any', () => {
    const shapes = [{ label_id: 1, points: [1, 2, 3, 4], elements: [] }];
    expect(checkedDetections({ shapes })).toEqual({ tags: [], shapes });
    expect(checkedDetections({})).toEqual({ tags: [], shapes: [] });
  });

  it.each([
    [{ shapes: 'nope' }, 'did not return a list of objects'],
    [{ tags: {} }, 'did not return a list of objects'],
    [{ shapes: [{ points: 'nope' }] }, 'points are not numbers'],
    [{ shapes: [{ points: [1, null] }] }, 'points are not numbers'],
    [{ shapes: [{ elements: [{ points: 'nope' }] }] }, 'points are not numbers'],
    [{ tags: [{ attributes: 'nope' }] }, 'attributes that are not a list'],
  ])('says what is wrong with %j', (answer, text) => {
    expect(() => checkedDetections(answer)).toThrow(text);
  });
});
