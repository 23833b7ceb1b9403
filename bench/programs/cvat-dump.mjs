// Writes a large dump of a CVAT server: a small dump, plus many copies of one of its tasks.
//
//   node bench/programs/cvat-dump.mjs --from dumpdata.json --to large.json --tasks 10000 --shapes 1000000
//
// The media of the copies are on CVAT's share, so that the import needs no files for them.

import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    tasks: { type: 'string', default: '10000' },
    shapes: { type: 'string', default: '1000000' },
  },
});
if (values.from === undefined || values.to === undefined) throw new Error('Pass --from and --to');
const [taskCount, shapeCount] = [Number(values.tasks), Number(values.shapes)];

const dump = JSON.parse(readFileSync(values.from, 'utf8'));
const of = (model) => dump.filter((record) => record.model === model);
const next = {};
for (const { model, pk } of dump) next[model] = Math.max(next[model] ?? 0, Number(pk));
const newId = (model) => (next[model] += 1);

const template = templateTask();
const output = createWriteStream(values.to);
let first = true;
await write(dump);
for (let at = 0; at < taskCount; at += 1) {
  const until = Math.round(((at + 1) * shapeCount) / taskCount);
  await write(copyOf(template, at, until - Math.round((at * shapeCount) / taskCount)));
}
output.end('\n]\n');
await once(output, 'finish');

/** The task with the most shapes that are not part of a skeleton, and what belongs to it. */
function templateTask() {
  const taskOfSegment = new Map(of('engine.segment').map(({ pk, fields }) => [pk, fields.task]));
  const taskOfJob = new Map(of('engine.job').map(({ pk, fields }) => [pk, taskOfSegment.get(fields.segment)]));
  const shapes = groupBy(
    of('engine.labeledshape').filter(({ fields }) => fields.parent === null && fields.type !== 'skeleton'),
    ({ fields }) => taskOfJob.get(fields.job),
  );
  const [task] = [...shapes].toSorted(([, a], [, b]) => b.length - a.length)[0];
  const record = of('engine.task').find(({ pk }) => pk === task);
  return {
    task: record,
    data: of('engine.data').find(({ pk }) => pk === record.fields.data),
    images: of('engine.image').filter(({ fields }) => fields.data === record.fields.data),
    segment: of('engine.segment').find(({ fields }) => fields.task === task),
    job: of('engine.job').find(({ pk }) => taskOfJob.get(pk) === task),
    shapes: shapes.get(task),
    values: groupBy(of('engine.labeledshapeattributeval'), ({ fields }) => fields.shape),
  };
}

function copyOf({ task, data, images, segment, job, shapes, values: attributes }, number, count) {
  const [taskId, dataId, segmentId, jobId] = [task, data, segment, job].map(({ model }) => newId(model));
  const records = [
    { ...data, pk: dataId, fields: { ...data.fields, storage: 'share' } },
    ...images.map((image) => ({ ...image, pk: newId(image.model), fields: { ...image.fields, data: dataId } })),
    { ...task, pk: taskId, fields: { ...task.fields, name: `${task.fields.name} ${number}`, data: dataId } },
    { ...segment, pk: segmentId, fields: { ...segment.fields, task: taskId } },
    { ...job, pk: jobId, fields: { ...job.fields, segment: segmentId, parent_job: null } },
  ];
  for (let at = 0; at < count; at += 1) {
    const shape = shapes[at % shapes.length];
    const id = newId(shape.model);
    records.push({ ...shape, pk: id, fields: { ...shape.fields, job: jobId } });
    for (const value of attributes.get(shape.pk) ?? [])
      records.push({ ...value, pk: newId(value.model), fields: { ...value.fields, job: jobId, shape: id } });
  }
  return records;
}

function groupBy(records, keyOf) {
  const groups = new Map();
  for (const record of records) groups.set(keyOf(record), [...(groups.get(keyOf(record)) ?? []), record]);
  return groups;
}

async function write(records) {
  const text = records.map((record) => JSON.stringify(record)).join(',\n');
  const written = output.write(first ? `[\n${text}` : `,\n${text}`);
  first = false;
  if (!written) await once(output, 'drain');
}
