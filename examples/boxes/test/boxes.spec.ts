import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTestApp, type TestApp } from '../../../test/support/app.js';
import * as datasets from '../../../test/support/datasets.js';
import { Given, type Person } from '../../../test/support/given.js';
import { rectangle } from '../../../test/support/given-annotations.js';
import { ended, exported, sendAnnotations, unpacked } from '../../../test/support/given-exchange.js';
import { givenPhotos } from '../../../test/support/given-media.js';
import { boxesExport, boxesImport } from '../src/boxes-csv.js';

const FORMAT = 'Boxes CSV 1.0';
const HEADER = 'subset,image,label,x1,y1,x2,y2,rotation';
const { MemoryFiles, shapeOf } = datasets;

describe('boxes as CSV', () => {
  const read = (text: string) => datasets.imported(boxesImport, MemoryFiles.of({ 'boxes.csv': text }));

  it('round-trips rectangles', async () => {
    const box = fc
      .record({ points: datasets.pointsOf.rectangle, frame: fc.nat(5), label_id: fc.constantFrom(2, 3), rotation: fc.nat(359) })
      .map(({ points, ...more }) => shapeOf('rectangle', points, { ...more, source: 'file' })); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(fc.array(box, { maxLength: 6 }), async (list) => {
        const shapes = list.toSorted((a, b) => a.frame - b.frame);
        const data = await datasets.imported(boxesImport, await datasets.exported(boxesExport, { shapes }));
        expect(data.shapes).toEqual(shapes);
      }),
      { numRuns: 60 },
    );
  });

  it('quotes names with commas and quotes, and writes tracks as their boxes', async () => {
    const files = await datasets.exported(boxesExport, {
      shapes: [shapeOf('rectangle', [1, 2, 3.5, 4]), shapeOf('polygon', [1, 1, 2, 2, 3, 1])],
      tracks: [datasets.trackOf([{ frame: 2 }, { frame: 3, outside: true }])],
    });
    expect(files.text('boxes.csv').split('\r\n')).toEqual([
      HEADER,
      'default,a.jpg,"person & ""friend""",1,2,3.5,4,0',
      'default,sub/c.jpg,"person & ""friend""",0,0,10,10,0',
      '',
    ]);
  });

  it.each([
    ['', `boxes.csv, line 1: the columns are not ${HEADER}`],
    [`${HEADER}\ndefault,a.jpg,dog,1,2,3,4,0`, "boxes.csv, line 2: there is no label 'dog' to import it to"],
    [`${HEADER}\r\n\r\ns,a.jpg,car,1,2,3,0x4,0`, "boxes.csv, line 3: '1,2,3,0x4,0' is not the five numbers of a box"],
    [`${HEADER}\ns,a.jpg,car,1,2,3,4`, "boxes.csv, line 2: '1,2,3,4' is not the five numbers of a box"],
    [`${HEADER}\ns,"a.jpg,car`, `boxes.csv, line 2: 's,"a.jpg,car' is not a line of CSV`],
  ])('reports the fault in %j', async (text, message) => {
    await expect(read(text)).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('fails only with a FormatError', async () => {
    const words = fc.array(fc.constantFrom('s,a.jpg,car,', '1', ',', '"', '\n', '-', 'e9', '1e400', ' '));
    await fc.assert(
      fc.asyncProperty(words, async (parts) => {
        const outcome = await read(`${HEADER}\n${parts.join('')}`).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toMatchObject({ name: 'FormatError' });
      }),
    );
  });
});

describe('boxes extension', () => {
  let app: TestApp;
  let owner: Person;
  let task: number;
  let label: number;

  beforeAll(async () => {
    app = await createTestApp({ env: { CAIRN_EXTENSIONS: 'examples/boxes/src/index.ts' } });
    owner = await new Given(app).person();
    task = (await givenPhotos(app, owner, 2)).id;
    label = (await owner.http.get(`/api/labels?task_id=${task}`)).body.results[0].id;
  });
  afterAll(() => app.close());

  it('adds the format to the lists', async () => {
    const { body } = await owner.http.get('/api/server/annotation/formats').expect(200);
    for (const list of ['exporters', 'importers']) expect(body[list].at(-1)).toMatchObject({ name: FORMAT });
    const { body: document } = await owner.http.get('/api/schema/?scheme=json');
    expect(JSON.stringify(document.paths['/api/jobs/{id}/dataset/export'])).toContain(FORMAT);
  });

  it('exports annotations and imports them again', async () => {
    await owner.http.put(`/api/tasks/${task}/annotations`).send({ shapes: [rectangle(label, 1)] }).expect(200); // prettier-ignore
    const archive = (await exported(app, owner, `tasks/${task}`, { format: FORMAT })).body as Buffer;
    const csv = (await unpacked(app.config.dataDir, archive)).get('boxes.csv') ?? Buffer.from('');
    expect(csv.toString()).toMatch(/^default,img_01\.jpg,car,/m);
    const before = await shapes();
    for (const file of [{ name: 'boxes.csv', content: csv }, { name: 'all.zip', content: archive }]) {
      await owner.http.delete(`/api/tasks/${task}/annotations`).expect(204);
      expect(await ended(app, owner, await sendAnnotations(owner, `tasks/${task}`, FORMAT, file))).toMatchObject({ status: 'finished' });
      expect(await shapes()).toEqual(before);
    } // prettier-ignore
  });

  const shapes = async (): Promise<unknown[]> =>
    (await owner.http.get(`/api/tasks/${task}/annotations`)).body.shapes.map(
      ({ frame, points, type }: Record<string, unknown>) => ({ frame, points, type }),
    );
});
