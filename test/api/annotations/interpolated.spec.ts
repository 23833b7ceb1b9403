import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';

interface Seen {
  readonly id: number | null;
  readonly frame: number;
  readonly points: number[];
  readonly keyframe: boolean;
  readonly outside: boolean;
}

type Keyframe = readonly [frame: number, points: number[], more?: object];

/** Two keyframes of each type, and the shape half-way; masks and multiple points do not move. */
const HALFWAY: readonly (readonly [type: string, from: number[], to: number[], middle: number[]])[] = [
  ['rectangle', [0, 0, 10, 10], [4, 8, 14, 18], [2, 4, 12, 14]],
  ['ellipse', [10, 10, 20, 5], [12, 10, 22, 5], [11, 10, 21, 5]],
  ['polygon', [0, 0, 10, 0, 10, 10], [2, 2, 12, 2, 12, 12], [1, 1, 11, 1, 11, 11]],
  ['polyline', [0, 0, 10, 0], [0, 4, 10, 4], [0, 2, 10, 2]],
  ['points', [1, 1], [3, 5], [2, 3]],
  ['points', [1, 1, 2, 2], [3, 3, 4, 4], [1, 1, 2, 2]],
  ['cuboid', Array<number>(16).fill(2), Array<number>(16).fill(4), Array<number>(16).fill(3)],
  ['mask', [0, 4, 0, 0, 3, 0], [0, 4, 8, 0, 11, 0], [0, 4, 0, 0, 3, 0]],
];

describe('interpolated reads', () => {
  let app: TestApp;
  let owner: Person;
  let task: Annotatable;
  let car: number;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    task = await givenAnnotatable(app, owner, { segments: [[0, 9]] });
    car = task.labels.car;
  });

  const track = (type: string, keyframes: readonly Keyframe[], more: object = {}) => ({
    frame: keyframes[0]?.[0] ?? 0,
    label_id: car,
    attributes: [],
    shapes: keyframes.map(([frame, points, change = {}]) => ({ type, frame, points, attributes: [], ...change })),
    ...more,
  });

  const read = async (path: string, query = '') => {
    const answer = await owner.http.get(`${path}?interpolated=true${query}`);
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const seen = ({ shapes }: { shapes: Seen[] }): [number, boolean, boolean][] =>
    shapes.map(({ frame, keyframe, outside }) => [frame, keyframe, outside]);
  const numbers = (first: number, last: number): number[] =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index);

  it.each(HALFWAY)('move a %s from %j to %j', async (type, from, to, middle) => {
    await owner.http.put(task.ofJob()).send({ tracks: [track(type, [[0, from], [4, to]])] }); // prettier-ignore
    const [plain] = (await owner.http.get(task.ofJob())).body.tracks;
    const [found] = (await read(task.ofJob())).tracks;
    expect(found.shapes.map((shape: Seen) => shape.frame)).toEqual(numbers(0, 9));
    expect(found.shapes[2]).toMatchObject({ id: null, type, points: middle, keyframe: false });
    // After the last keyframe nothing moves, and keyframes are the same as without interpolation.
    expect(found.shapes[9]).toMatchObject({ id: null, points: to, keyframe: false });
    for (const keyframe of plain.shapes) {
      expect(found.shapes[keyframe.frame]).toEqual({ ...keyframe, keyframe: true });
    }
  });

  it('leave out frames on which a track is hidden, except the keyframe that hides it', async () => {
    const keyframes: Keyframe[] = [
      [1, [0, 0, 10, 10]],
      [3, [2, 0, 12, 10], { outside: true }],
      [6, [8, 0, 18, 10]],
      [8, [9, 0, 19, 10], { outside: true }],
    ];
    await owner.http.put(task.ofJob()).send({ tracks: [track('rectangle', keyframes)] });
    const [found] = (await read(task.ofJob())).tracks;
    expect(seen(found)).toEqual([
      [1, true, false],
      [2, false, false],
      [3, true, true],
      [6, true, false],
      [7, false, false],
      [8, true, true],
    ]);
    // It moves towards the position where it is hidden.
    expect(found.shapes[1].points).toEqual([1, 0, 11, 10]);
  });

  it('rotate the shorter way and inherit mutable attributes', async () => {
    const parked = [{ spec_id: task.attributes.parked, value: 'true' }];
    const keyframes: Keyframe[] = [[0, [0, 0, 10, 10], { rotation: 350, attributes: parked }], [2, [0, 0, 10, 10], { rotation: 10 }]]; // prettier-ignore
    await owner.http.put(task.ofJob()).send({ tracks: [track('rectangle', keyframes)] });
    const [found] = (await read(task.ofJob(), '&stop=3')).tracks;
    expect(found.shapes.map((shape: { rotation: number }) => shape.rotation)).toEqual([350, 0, 10, 10]);
    expect(found.shapes.every((shape: { attributes: unknown }) => JSON.stringify(shape.attributes) === JSON.stringify(parked))).toBe(true); // prettier-ignore
    expect(found.attributes).toEqual([{ spec_id: task.attributes.make, value: 'none' }]);
  });

  it('give a skeleton and each of its elements their own shapes', async () => {
    const [head, foot] = task.joints;
    const elements = [
      track('points', [[0, [0, 0]], [4, [4, 8]]], { label_id: head }), // prettier-ignore
      track('points', [[0, [1, 1]], [2, [1, 1], { outside: true }]], { label_id: foot }), // prettier-ignore
    ];
    const person = track('skeleton', [[0, []]], { label_id: task.labels.person, elements });
    await owner.http.put(task.ofJob()).send({ tracks: [person] });
    const [found] = (await read(task.ofJob(), '&stop=4')).tracks;
    expect(seen(found)).toEqual(numbers(0, 4).map((frame) => [frame, frame === 0, false]));
    expect(found.elements[0].shapes.map((shape: Seen) => shape.points)).toEqual([[0, 0], [1, 2], [2, 4], [3, 6], [4, 8]]); // prettier-ignore
    expect(seen(found.elements[1])).toEqual([
      [0, true, false],
      [1, false, false],
      [2, true, true],
    ]);
  });

  it('return a range of frames, for every type', async () => {
    const keyframes: Keyframe[] = [[0, [0, 0, 10, 10]], [9, [9, 9, 19, 19]]]; // prettier-ignore
    const tags = [2, 5, 7].map((frame) => ({ frame, label_id: car, attributes: [] }));
    const shapes = [1, 4, 6, 8].map((frame) => rectangle(car, frame));
    const late = track('rectangle', [[8, [0, 0, 1, 1]]]);
    await owner.http.put(task.ofJob()).send({ tags, shapes, tracks: [track('rectangle', keyframes), late] });
    const found = await read(task.ofJob(), '&start=4&stop=6');
    expect(found.tags.map((tag: Seen) => tag.frame)).toEqual([5]);
    expect(found.shapes.map((shape: Seen) => shape.frame)).toEqual([4, 6]);
    expect(found.tracks).toHaveLength(1);
    expect(found.tracks[0].shapes.map((shape: Seen) => [shape.frame, shape.points[0]])).toEqual([[4, 4], [5, 5], [6, 6]]); // prettier-ignore
  });

  it('join the tracks of overlapping jobs, and close those that do not continue', async () => {
    task = await givenAnnotatable(app, owner, { segments: [[0, 5], [4, 9]], overlap: 2 }); // prettier-ignore
    const moving: Keyframe[] = [[0, [0, 0, 100, 100]], [9, [9, 0, 109, 100]]]; // prettier-ignore
    const answer = await owner.http
      .put(task.ofTask)
      .send({ tracks: [track('rectangle', moving, { label_id: task.labels.car })] });
    expect(answer.status).toBe(200);
    const { tracks } = await read(task.ofTask);
    expect(tracks).toHaveLength(1);
    expect(tracks[0].shapes.map((shape: Seen) => [shape.frame, shape.points[0]])).toEqual(
      numbers(0, 9).map((frame) => [frame, frame]),
    );
    // A read of one job contains its own frames.
    expect((await read(task.ofJob(1))).tracks[0].shapes.map((shape: Seen) => shape.frame)).toEqual(numbers(4, 9));

    await owner.http.put(task.ofJob(1)).send({});
    const [alone] = (await read(task.ofTask)).tracks;
    expect(seen(alone).map(([frame, , outside]) => [frame, outside])).toEqual(
      numbers(0, 6).map((frame) => [frame, frame === 6]),
    );
  });

  it('include deleted frames, whose annotations return when the frames are restored', async () => {
    await owner.http.put(task.ofJob()).send({ tracks: [track('rectangle', [[0, [0, 0, 10, 10]]])] });
    const before = await read(task.ofJob());
    const meta = await owner.http.patch(`/api/tasks/${task.taskId}/data/meta`).send({ deleted_frames: [3] });
    expect([meta.status, meta.body.deleted_frames]).toEqual([200, [3]]);
    expect(await read(task.ofJob())).toEqual(before);
  });

  it.each([
    ['interpolated=maybe', { interpolated: ['Must be true or false.'] }],
    ['start=1', { start: ['Requires interpolated=true.'] }],
    ['interpolated=true&start=-1', { start: ['Must be a frame number.'] }],
    ['interpolated=true&start=5&stop=4', { stop: ['Must not be less than start.'] }],
  ])('reject %s', async (query, body) => {
    const answer = await owner.http.get(`${task.ofJob()}?${query}`);
    expect([answer.status, answer.body]).toEqual([400, body]);
  });
});
