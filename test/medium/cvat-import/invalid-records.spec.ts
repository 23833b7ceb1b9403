import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { reportText } from '../../../src/cvat-import/report.js';
import { type DumpObject, smallDump } from './small-dump.js';
import { another, changed, ImportTarget } from './try-import.js';

/** The small dump with a second task, whose parts have these fields. */
function twoTasks(parts: Record<string, Record<string, unknown>>): DumpObject[] {
  const dump = smallDump();
  const add = (model: string, pk: number, fields: Record<string, unknown> = {}): DumpObject =>
    another(dump, model, pk, { ...fields, ...parts[model] });
  return [
    ...dump,
    add('engine.data', 40),
    add('engine.task', 90, { data: 40 }),
    add('engine.segment', 30, { task: 90 }),
    add('engine.job', 60, { segment: 30 }),
    add('engine.labeledshape', 210, { job: 60 }),
    add('engine.labeledshapeattributeval', 10, { shape: 210 }),
  ];
}

describe('importing invalid records', () => {
  let target: ImportTarget;

  beforeEach(async () => {
    target = await ImportTarget.create();
  });
  afterEach(() => target.discard());

  const skipInvalid = (dump: readonly DumpObject[], dryRun = false): ReturnType<ImportTarget['import']> =>
    target.import(dump, { dryRun, skipInvalidTo: join(target.folder, 'skipped.jsonl') });
  const skippedLines = async (): Promise<Record<string, unknown>[]> =>
    (await readFile(join(target.folder, 'skipped.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('names all of them, whatever is wrong, and writes nothing', async () => {
    const dump = twoTasks({ 'engine.task': { name: null }, 'engine.segment': { stop_frame: -1 } });
    dump.push(another(dump, 'engine.job', 61, { segment: 999 }));
    dump.push(another(dump, 'engine.segment', 31, { stop_frame: -7 }));
    dump.push(another(dump, 'engine.label', 80, { name: 'a\0b' }));
    const message = [
      '4 records cannot be imported:',
      '  The field "name" of engine.task 90 is not a text.',
      '  The field "name" of engine.label 80 is not a text.',
      '  engine.job 61 refers to engine.segment 999 (segment), which the dump does not have.',
      expect.stringMatching(/^ {2}engine\.segment 31 breaks a rule of the database \(start_frame, stop_frame\): /),
    ];
    const error = await target.import(dump).catch((failure: unknown) => failure as Error);
    expect((error as Error).message.split('\n')).toEqual(message);
    expect(await target.column('select count(*)::int as value from app_user')).toEqual([0]);
  });

  it('names the first of many, and counts the others', async () => {
    const dump = smallDump();
    const issue = { job: 6, frame: 0, position: 'x', owner: null, assignee: null, resolved: false };
    for (let pk = 1; pk <= 30; pk += 1) dump.push({ model: 'engine.issue', pk, fields: issue });
    const text = await target.import(dump).catch((failure: unknown) => (failure as Error).message);
    expect(text).toMatch(/^30 records cannot be imported:\n(.*\n){20} {2}and 10 more$/);
  });

  it.each<[string, Record<string, Record<string, unknown>>, string]>([
    ['a field of the wrong type', { 'engine.task': { name: 5 } }, 'name'],
    ['a reference to nothing', { 'engine.task': { project: 999 } }, 'project'],
    ['a value against a rule', { 'engine.task': { dimension: '9d' } }, 'dimension'],
  ])('skips a task with %s, and all that belongs to it', async (_, parts, field) => {
    const { skipped } = await skipInvalid(twoTasks(parts));
    expect(await target.column('select id as value from task')).toEqual([9]);
    expect(await target.column('select id as value from job')).toEqual([6]);
    expect(await target.column('select id::int as value from annotation_shape')).toEqual([21]);
    expect(skipped).toEqual({ count: 5, path: join(target.folder, 'skipped.jsonl') });
    const lines = await skippedLines();
    expect(lines).toMatchObject([
      { model: 'engine.task', pk: 90, field, fields: { data: 40 }, reason: expect.stringContaining('engine.task 90') },
      { model: 'engine.segment', pk: 30, field: 'task' },
      { model: 'engine.job', pk: 60, field: 'segment' },
      { model: 'engine.labeledshape', pk: 210, field: 'job' },
      {
        model: 'engine.labeledshapeattributeval',
        pk: 10,
        field: 'shape',
        reason: 'engine.labeledshapeattributeval 10 refers to engine.labeledshape 210 (shape), which is not imported.',
      },
    ]);
  });

  it('writes the skipped records to a file that only its owner can read', async () => {
    await skipInvalid(twoTasks({ 'engine.task': { name: 5 } }));
    expect((await stat(join(target.folder, 'skipped.jsonl'))).mode & 0o777).toBe(0o600);
  });

  it('counts and lists the skipped records in the report', async () => {
    const result = await skipInvalid(twoTasks({ 'engine.task': { project: 999 } }));
    const text = reportText(result, false);
    expect(text).toMatch(/^engine\.task +2 +1 +1: skipped, because the record or one that it refers to is invalid$/m);
    expect(text).toContain(`Skipped: 5 invalid records, listed in ${join(target.folder, 'skipped.jsonl')}.`);
  });

  it('skips one of two records with the same key', async () => {
    const dump = smallDump();
    await skipInvalid([...dump, another(dump, 'engine.label', 8, { name: 'other' })]);
    expect(await target.column('select name as value from label')).toEqual(['bird']);
  });

  it('skips one of two records with values that must be unique', async () => {
    const dump = smallDump();
    const { skipped } = await skipInvalid([...dump, another(dump, 'auth.user', 70)]);
    expect(skipped?.count).toBe(1);
    expect(await skippedLines()).toMatchObject([{ model: 'auth.user', pk: 70, field: 'username' }]);
  });

  it('shows in a dry run what would be skipped', async () => {
    const { skipped } = await skipInvalid(twoTasks({ 'engine.task': { name: 5 } }), true);
    expect(skipped?.count).toBe(5);
    expect(await target.column('select id as value from task')).toEqual([]);
  });

  it('says that nothing is skipped if all records are valid', async () => {
    const result = await skipInvalid(smallDump());
    expect(reportText(result, false)).toContain('Skipped: 0 invalid records.');
  });

  it('omits what refers to an omitted record without a fault', async () => {
    const DATE = '2024-05-06T07:08:09.012Z';
    const dump: DumpObject[] = [
      ...smallDump(),
      {
        model: 'organizations.organization',
        pk: 1,
        fields: { slug: 'o', name: 'O', owner: ['anna'], created_date: DATE, updated_date: DATE },
      },
      {
        model: 'organizations.membership',
        pk: 2,
        fields: { user: null, organization: 1, is_active: false, joined_date: null, role: 'worker' },
      },
      {
        model: 'organizations.invitation',
        pk: 'k',
        fields: { owner: ['anna'], membership: 2, created_date: DATE, sent_date: null },
      },
    ];
    const result = await target.import(dump);
    expect(reportText(result, false)).toMatch(
      /^organizations\.invitation +1 +0 +1: refers to a record that is not imported$/m,
    );
  });

  it.each([
    ['omits records of unknown models without a key', 'engine.hologram', true],
    ['names a record of a known model without a key', 'engine.label', false],
  ])('%s', async (_, model, isImported) => {
    const dump = [...smallDump(), { model, pk: null as unknown as number, fields: {} }];
    const text = await target.import(dump).then(
      () => 'imported',
      (error: unknown) => (error as Error).message,
    );
    expect(text).toBe(
      isImported ? 'imported' : 'engine.label (record 17) has no key: create the dump without --natural-primary.',
    );
  });

  it('imports a dump whose records come in any order', async () => {
    const dump = changed(smallDump(), 'auth.user', { groups: [2] });
    const order = (objects: readonly DumpObject[]): DumpObject[] => objects.toReversed();
    const { models } = await target.import(order(dump));
    expect(models.every(({ found, imported }) => found === imported)).toBe(true);
    expect(await target.column('select assignee_id as value from job')).toEqual([7]);
    expect(await target.column('select groups as value from app_user')).toEqual([['user']]);
  });
});
