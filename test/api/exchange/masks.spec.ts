import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { exported, sendAnnotations, worked } from '../../support/given-exchange.js';
import { givenPhotos } from '../../support/given-media.js';

interface Stored {
  readonly type: string;
  readonly points: number[];
  readonly z_order: number;
  readonly group: number;
}

/** Rows of an image, `#` for foreground, from its top left pixel on. */
interface Drawing {
  readonly left: number;
  readonly top: number;
  readonly rows: readonly string[];
}

const runsOf = (drawing: Drawing): number[] => {
  const { left, top, rows } = drawing;
  const runs = [0];
  let current = '.';
  for (const pixel of rows.join('')) {
    if (pixel !== current) runs.push(0);
    current = pixel;
    runs[runs.length - 1] = (runs.at(-1) ?? 0) + 1;
  }
  return [...runs, left, top, left + (rows[0] ?? '').length - 1, top + rows.length - 1];
};

/** `x,y` of the foreground pixels. */
function pixelsOfMask(points: readonly number[]): string[] {
  const [left = 0, top = 0, right = 0] = points.slice(-4);
  const width = right - left + 1;
  const pixels = points.slice(0, -4).flatMap((run, index) => Array.from({ length: run }, () => index % 2 === 1));
  const found = pixels.flatMap((isSet, at) => (isSet ? `${left + (at % width)},${top + Math.floor(at / width)}` : []));
  return found.sort();
}

/** Pixels whose centre is inside by the even-odd rule: those with an odd number of edges to their right. */
function pixelsOfPolygon(points: readonly number[], width: number, height: number): string[] {
  const corners = Array.from({ length: points.length / 2 }, (_, i) => points.slice(2 * i, 2 * i + 2));
  const edges = corners.map((corner, i) => [...corner, ...(corners[(i + 1) % corners.length] ?? [])]);
  const isRightOf = (x: number, y: number, [x1 = 0, y1 = 0, x2 = 0, y2 = 0]: readonly number[]): boolean =>
    y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1);
  const found: string[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++)
      if (edges.filter((edge) => isRightOf(x + 0.5, y + 0.5, edge)).length % 2 === 1) found.push(`${x},${y}`);
  }
  return found.sort();
}

describe('masks after export and import', () => {
  let app: TestApp;
  let owner: Person;
  let task: number;
  let label: number;
  let size: { width: number; height: number };
  let drawings: Drawing[];

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
    task = (await givenPhotos(app, owner, 1)).id;
    label = (await owner.http.get(`/api/labels?task_id=${task}`)).body.results[0].id;
    [size] = (await owner.http.get(`/api/tasks/${task}/data/meta`)).body.frames;
    const { width, height } = size;
    drawings = [
      { left: 0, top: 0, rows: Array.from({ length: height }, () => '#'.repeat(width)) }, // the entire image
      { left: 1, top: 1, rows: ['####', '#..#', '####'] }, // within the image, with a hole
      { left: 2, top: 2, rows: ['##', '##'] }, // across the edge of the hole
      { left: 0, top: 0, rows: ['#'] }, // one pixel in each corner
      { left: width - 1, top: 0, rows: ['#'] },
      { left: 0, top: height - 1, rows: ['#'] },
      { left: width - 1, top: height - 1, rows: ['#'] },
      { left: width - 3, top: height - 3, rows: ['#..', '.#.', '..#'] }, // connected only by corners, up to the border
      { left: 0, top: 3, rows: ['#'.repeat(width)] }, // from border to border
      { left: 4, top: 2, rows: ['....', '.##.', '....'] }, // a box larger than its pixels
    ];
  });

  afterAll(() => app.close());

  const shapes = async (): Promise<Stored[]> => (await owner.http.get(`/api/tasks/${task}/annotations`)).body.shapes;

  async function roundTrip(out: string, back: string, query: Readonly<Record<string, string>>): Promise<Stored[]> {
    const masks = drawings.map((drawing, z) => ({
      type: 'mask',
      label_id: label,
      frame: 0,
      z_order: z,
      points: runsOf(drawing),
    }));
    await owner.http.put(`/api/tasks/${task}/annotations`).send({ shapes: masks }).expect(200);
    const file = await exported(app, owner, `tasks/${task}`, { format: out });
    await owner.http.delete(`/api/tasks/${task}/annotations`).expect(204);
    const archive = { name: 'a.zip', content: file.body as Buffer };
    const sent = await sendAnnotations(owner, `tasks/${task}`, back, archive, query);
    expect((await worked(app, owner, sent.body.rq_id)).body).toMatchObject({ status: 'finished', message: '' });
    return shapes();
  }
  const drawn = (): string[][] => drawings.map((drawing) => pixelsOfMask(runsOf(drawing)));

  it.each([
    ['COCO 1.0', 'COCO 1.0', { conv_mask_to_poly: 'false' }],
    ['CVAT for images 1.1', 'CVAT 1.1', {}],
    ['CVAT for video 1.1', 'CVAT 1.1', {}],
  ])('have the same pixels after %s', async (out, back, query) => {
    const found = await roundTrip(out, back, query);
    expect(new Set(found.map(({ type }) => type))).toEqual(new Set(['mask']));
    expect(found.map(({ points }) => pixelsOfMask(points))).toEqual(drawn());
    if (back === 'CVAT 1.1') {
      expect(found.map(({ points }) => points)).toEqual(drawings.map(runsOf));
      expect(found.map(({ z_order: z }) => z)).toEqual(drawings.map((_, z) => z));
    }
  });

  it('become polygons that cover the same pixels, grouped if there are several', async () => {
    const found = await roundTrip('COCO 1.0', 'COCO 1.0', {});
    expect(new Set(found.map(({ type }) => type))).toEqual(new Set(['polygon']));
    const objects = new Map<string, string[]>();
    for (const [at, { points, group }] of found.entries()) {
      const pixels = pixelsOfPolygon(points, size.width, size.height);
      const key = group === 0 ? `alone ${at}` : `group ${group}`;
      objects.set(key, [...(objects.get(key) ?? []), ...pixels].sort());
    }
    expect([...objects.values()]).toEqual(drawn());
  });
});
