import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { qualityLabel, qualityShape } from '../../../test/support/quality-objects.js';
import { emptyData, type LabeledData, type Shape, type Track } from '../../shared/annotations/model.js';
import { finish } from '../concurrency/steps.js';
import { JobFrames } from '../quality/frame-objects.js';
import { ReplicaMerge } from './merge.js';

const number = { id: 1, mutable: true, defaultValue: '4', inputType: 'number', values: [] };
const labels = [{ ...qualityLabel(1, 'car'), attributes: [number] }, qualityLabel(2, 'person')];

/** Merges frames 0 to 4 of replicas. */
function merged(replicas: readonly Partial<LabeledData>[], quorum = 0.5, iouThreshold = 0.4): LabeledData {
  const merge = new ReplicaMerge({ iou_threshold: iouThreshold, quorum }, replicas.length, labels);
  const jobs = replicas.map((data, at) => new JobFrames(at + 1, structuredClone({ ...emptyData(), ...data }), labels));
  const result = emptyData();
  for (let frame = 0; frame < 5; frame++) {
    const found = finish(
      merge.frame({ frame, size: { width: 200, height: 150 }, replicas: jobs.map((job) => job.at(frame)) }),
    );
    result.tags.push(...found.tags);
    result.shapes.push(...found.shapes);
  }
  return { ...result, tracks: merge.tracks() };
}

const rectangle = (left: number, parts: Partial<Shape> = {}): Shape =>
  qualityShape({ points: [left, 10, left + 40, 40], ...parts });

const outlineOf = ({ label_id: label, points, group }: Shape) => ({ label, points, group });

describe('merging', () => {
  it('takes the member in the middle, unchanged, with the largest z-order', () => {
    const attributes = [{ spec_id: 1, value: '2' }];
    const { shapes } = merged([
      { shapes: [rectangle(10)] },
      { shapes: [rectangle(12, { attributes, z_order: 1 })] },
      { shapes: [rectangle(14, { z_order: 5 })] },
    ]);
    expect(shapes).toEqual([rectangle(12, { id: null, attributes, source: 'consensus', z_order: 5 })]);
  });

  it('drops what fewer replicas have than the quorum', () => {
    const replicas = [{ shapes: [rectangle(10)] }, { shapes: [rectangle(11)] }, { shapes: [rectangle(140)] }];
    expect(merged(replicas).shapes).toHaveLength(1);
    expect(merged(replicas, 0.7).shapes).toHaveLength(0);
    expect(merged(replicas, 0).shapes).toHaveLength(2);
  });

  it('does not join objects of different labels', () => {
    const replicas = [{ shapes: [rectangle(10)] }, { shapes: [rectangle(10, { label_id: 2 })] }];
    expect(merged(replicas, 1).shapes).toEqual([]);
  });

  it('keeps groups, and gives no group to objects that are alone', () => {
    const grouped = (a: number, b: number, dropped?: number): Shape[] => [
      ...(dropped === undefined ? [] : [rectangle(dropped, { id: 9 })]),
      rectangle(60, { id: 1, group: a }),
      rectangle(110, { id: 2, group: a }),
      rectangle(160, { id: 3, group: b }),
    ];
    const { shapes } = merged([{ shapes: grouped(1, 2, 0) }, { shapes: grouped(5, 6) }, { shapes: grouped(7, 8) }]);
    expect(shapes.map(outlineOf)).toEqual([60, 110, 160].map((left) => ({ ...outlineOf(rectangle(left)), group: left < 160 ? 1 : 0 }))); // prettier-ignore
  });

  it('keeps tags with enough votes', () => {
    const tag = (label: number) => ({ id: 1, label_id: label, frame: 3, group: 0, source: 'manual', attributes: [] });
    const { tags } = merged([{ tags: [tag(1)] }, { tags: [tag(2)] }, { tags: [tag(2)] }]);
    expect(tags).toEqual([{ ...tag(2), id: null, source: 'file' }]);
  });

  it('makes tracks of the shapes of tracks, hidden where none was taken', () => {
    const keyframe = (frame: number, left: number, isOutside = false) => ({
      id: frame,
      type: 'rectangle' as const,
      frame,
      occluded: false,
      outside: isOutside,
      z_order: 0,
      rotation: 0,
      points: [left, 10, left + 40, 40],
      attributes: [{ spec_id: 1, value: '4' }],
    });
    const track = (...shapes: ReturnType<typeof keyframe>[]): Track => ({
      id: 1,
      label_id: 1,
      group: 0,
      source: 'manual',
      attributes: [],
      frame: 0,
      shapes,
      elements: [],
    });
    const found = merged(
      [
        { tracks: [track(keyframe(0, 10), keyframe(2, 30), keyframe(3, 30, true))] },
        { tracks: [track(keyframe(0, 10), keyframe(4, 50))] },
      ],
      1,
    ).tracks;
    const visible = [keyframe(0, 10), keyframe(2, 30), keyframe(3, 30, true)].map((shape) => ({ ...shape, id: null }));
    expect(found).toEqual([{ ...track(...(visible as never[])), id: null, source: 'consensus' }]);
  });

  it('of equal replicas gives the replica', () => {
    const lefts = fc.uniqueArray(fc.integer({ min: 0, max: 7 }), { maxLength: 6 });
    fc.assert(
      fc.property(
        lefts,
        fc.integer({ min: 2, max: 5 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (found, count, quorum) => {
          const shapes = found.map((left, at) => rectangle(left * 20, { id: at + 1, label_id: 1 + (left % 2) }));
          const result = merged(
            Array.from({ length: count }, () => ({ shapes })),
            quorum,
            0.6,
          );
          expect(result.shapes.map(outlineOf)).toEqual(shapes.map(outlineOf));
        },
      ),
    );
  });
});
