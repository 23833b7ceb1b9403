import { pointsText } from '../../engines/annotations/rows.js';
import { type Mapping, readNumbers, type Row } from '../mapping.js';
import type { DumpRecord } from '../dump-record.js';

/** The columns that tags, shapes and tracks share. */
function frameColumns(record: DumpRecord): Row {
  return { ...commonColumns(record), frame: record.integer('frame') };
}

/** The columns that intervals have, too. */
function commonColumns(record: DumpRecord): Row {
  return {
    id: record.longId,
    job_id: record.integer('job'),
    label_id: record.integer('label'),
    group_id: record.integerOrNull('group'),
    source: record.textOr('source', 'manual'), // null in old versions
  };
}

/** Dumps of older servers have no scores. */
function readScore(record: DumpRecord): number {
  const score = record.number('score', 1);
  if (score < 0 || score > 1) throw record.wrong('score', 'a number from 0 to 1');
  return score;
}

/** The columns that shapes and keyframes of tracks share. */
function geometryColumns(record: DumpRecord): Row {
  return {
    type: record.text('type'),
    occluded: record.boolean('occluded'),
    outside: record.boolean('outside', false),
    z_order: record.integer('z_order'),
    rotation: record.number('rotation', 0),
    points: pointsText(readNumbers(record, 'points')),
  };
}

const tag: Mapping = {
  model: 'engine.labeledimage',
  stage: 'tag',
  map: (record) => [frameColumns(record)],
};

const shape: Mapping = {
  model: 'engine.labeledshape',
  stage: 'shape',
  map: (record) => [
    {
      ...frameColumns(record),
      ...geometryColumns(record),
      score: readScore(record),
      parent_id: record.longIntegerOrNull('parent'),
    },
  ],
};

const track: Mapping = {
  model: 'engine.labeledtrack',
  stage: 'track',
  map: (record) => [{ ...frameColumns(record), parent_id: record.longIntegerOrNull('parent') }],
};

const trackedShape: Mapping = {
  model: 'engine.trackedshape',
  stage: 'tracked_shape',
  map: (record) => [
    {
      id: record.longId,
      track_id: record.longInteger('track'),
      frame: record.integer('frame'),
      ...geometryColumns(record),
    },
  ],
};

const interval: Mapping = {
  model: 'engine.labeledinterval',
  stage: 'interval',
  map: (record) => [
    {
      ...commonColumns(record),
      start: record.integer('start'),
      stop: record.integerOrNull('stop'),
      score: readScore(record),
    },
  ],
};

/** Values of attributes, which CVAT keeps in separate tables. `owner` is the field that refers to the object. */
const attributeValue = (model: string, stage: string, owner: string): Mapping => ({
  model,
  stage,
  map(record) {
    record.ignore('job');
    return [
      {
        id: record.longId,
        owner_id: record.longInteger(owner),
        spec_id: record.integer('spec'),
        value: record.text('value'),
      },
    ];
  },
});

export const annotationMappings: readonly Mapping[] = [
  tag,
  shape,
  track,
  trackedShape,
  interval,
  attributeValue('engine.labeledimageattributeval', 'tag_attribute', 'image'),
  attributeValue('engine.labeledshapeattributeval', 'shape_attribute', 'shape'),
  attributeValue('engine.labeledtrackattributeval', 'track_attribute', 'track'),
  attributeValue('engine.trackedshapeattributeval', 'tracked_shape_attribute', 'shape'),
  attributeValue('engine.labeledintervalattributeval', 'interval_attribute', 'interval'),
];

const issue: Mapping = {
  model: 'engine.issue',
  stage: 'issue',
  map(record, { people }) {
    record.ignore('assignee_updated_date'); // no API returns it
    return [
      {
        id: record.id,
        job_id: record.integer('job'),
        frame: record.integer('frame'),
        position: readNumbers(record, 'position'),
        owner_id: people.userIdOrNull(record, 'owner'),
        assignee_id: people.userIdOrNull(record, 'assignee'),
        resolved: record.boolean('resolved'),
        created_date: record.dateOrNull('created_date'),
        updated_date: record.dateOrNull('updated_date'),
      },
    ];
  },
};

const comment: Mapping = {
  model: 'engine.comment',
  stage: 'comment',
  map: (record, { people }) => [
    {
      id: record.id,
      issue_id: record.integer('issue'),
      owner_id: people.userIdOrNull(record, 'owner'),
      message: record.text('message', ''),
      created_date: record.date('created_date'),
      updated_date: record.date('updated_date'),
    },
  ],
};

const guide: Mapping = {
  model: 'engine.annotationguide',
  stage: 'guide',
  map: (record) => [
    {
      id: record.id,
      task_id: record.integerOrNull('task'),
      project_id: record.integerOrNull('project'),
      markdown: record.text('markdown', ''),
      is_public: record.boolean('is_public', false),
      created_date: record.date('created_date'),
      updated_date: record.date('updated_date'),
    },
  ],
};

export const reviewMappings: readonly Mapping[] = [issue, comment, guide];
