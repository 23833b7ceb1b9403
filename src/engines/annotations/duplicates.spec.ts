import { describe, expect, it } from '@jest/globals';
import { shapeOf, trackOf } from '../../../test/support/datasets.js';
import type { Shape, Track } from '../../shared/annotations/model.js';
import { finish } from '../concurrency/steps.js';
import { TooManyPairs } from './assignment.js';
import { duplicateShapes, duplicateTags } from './duplicates.js';
import { TrackMerger } from './track-merger.js';

const FIRST = { start: 0, overlap: 1 };
const SECOND = { start: 0, overlap: 1 };

function duplicatesOf(old: Shape[], fresh: Shape[]): Set<Shape> {
  const finder = duplicateShapes({ is3d: false });
  finish(finder.admit(FIRST, old));
  return finish(finder.admit(SECOND, fresh));
}

const outline = Array.from({ length: 60 }, (_, at) => [
  50 + 40 * Math.cos(at / 9.6),
  50 + 40 * Math.sin(at / 9.6),
]).flat();
const polygon = (by = 0) => shapeOf('polygon', outline.map((value) => value + by)); // prettier-ignore
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

describe('duplicates on a crowded frame', () => {
  it('are all found if the shapes are equal', () => {
    expect(
      duplicatesOf(
        many(2000, () => polygon()),
        many(2000, () => polygon()),
      ).size,
    ).toBe(2000);
  });

  it('are the first of the equal shapes of the later job', () => {
    const fresh = [polygon(), polygon(), polygon(9)];
    expect([...duplicatesOf([polygon()], fresh)]).toEqual(fresh.slice(0, 1));
  });

  it('are equal shapes before similar ones', () => {
    const fresh = [polygon(1), polygon()];
    expect([...duplicatesOf([polygon()], fresh)]).toEqual(fresh.slice(1));
  });

  it('are an error with the frame if thousands of different shapes overlap', () => {
    const rectangles = (by: number) => many(1000, (at) => shapeOf('rectangle', [at / 1e6, by, 100, 100]));
    expect(() => duplicatesOf(rectangles(0), rectangles(1e-3))).toThrow(
      new TooManyPairs(
        'Frame 0 cannot be compared: too many shapes overlap each other. Remove duplicates, or delete the frame.',
      ),
    );
  });

  it('are kept in a response to a save, which must not fail', () => {
    const finder = duplicateShapes({ is3d: false }, 'keep');
    const rectangles = (by: number) => many(1000, (at) => shapeOf('rectangle', [at / 1e6, by, 100, 100]));
    finish(finder.admit(FIRST, rectangles(0)));
    expect(finish(finder.admit(SECOND, rectangles(1e-3))).size).toBe(0);
  });

  it('are found among thousands of tags', () => {
    const finder = duplicateTags();
    const tags = () => many(5000, () => ({ id: null, label_id: 1, frame: 0, group: 0, source: '', attributes: [] }));
    finish(finder.admit(FIRST, tags()));
    expect(finish(finder.admit(SECOND, tags())).size).toBe(5000);
  });
});

describe('tracks of several jobs', () => {
  const track = (from: number, to: number, by = 0): Track => trackOf([from, to].map((frame) => ({ frame, points: [by, 0, 10 + by, 10] }))); // prettier-ignore
  const merged = (jobs: readonly (readonly Track[])[], overlap = 2): readonly Track[] => {
    const merger = new TrackMerger(false, 'fail');
    for (const [at, tracks] of jobs.entries()) finish(merger.add(tracks, { start: at * 8, overlap }));
    return merger.tracks;
  };

  it('are joined if thousands of them are equal on the shared frames', () => {
    const [first, second] = [many(1000, () => track(0, 9)), many(1000, () => track(8, 17))];
    expect(merged([first, second])).toHaveLength(1000);
  });

  it('go on through many jobs', () => {
    const [found] = merged(many(500, (job) => [track(job * 8, job * 8 + 9)]));
    expect(found?.shapes.filter(({ outside }) => !outside).map(({ frame }) => frame)).toEqual([
      ...new Set(many(500, (job) => [job * 8, job * 8 + 9]).flat()),
    ].toSorted((a, b) => a - b)); // prettier-ignore
  });

  it('are an error with the frames if thousands of different ones overlap', () => {
    const [first, second] = [
      many(800, (at) => track(0, 9, at / 1e6)),
      many(800, (at) => track(8, 17, at / 1e6 + 1e-3)),
    ];
    expect(() => merged([first, second])).toThrow('The tracks on the frames 8 to 9 cannot be compared');
  });
});
