import { safeDrawing } from '../../engines/annotations/skeleton-drawing.js';
import { type Mapping, type MappingContext, readIntegers, type Row } from '../mapping.js';
import type { DumpRecord } from '../dump-record.js';

const label: Mapping = {
  model: 'engine.label',
  stage: 'label',
  map: (record) => [
    {
      id: record.id,
      project_id: record.integerOrNull('project'),
      task_id: record.integerOrNull('task'),
      parent_id: record.integerOrNull('parent'),
      name: record.text('name'),
      color: record.text('color', ''),
      type: record.text('type', 'any'),
    },
  ],
};

const skeleton: Mapping = {
  model: 'engine.skeleton',
  stage: 'skeleton',
  map: (record) => [{ id: record.id, label_id: record.integer('root'), svg: safeDrawing(record.text('svg')) }],
};

const attributeSpec: Mapping = {
  model: 'engine.attributespec',
  stage: 'attribute_spec',
  map: (record) => [
    {
      id: record.id,
      label_id: record.integer('label'),
      name: record.text('name'),
      mutable: record.boolean('mutable'),
      input_type: record.text('input_type'),
      default_value: record.text('default_value', ''),
      values: record.text('values', '').split('\n'),
    },
  ],
};

export const labelMappings: readonly Mapping[] = [label, skeleton, attributeSpec];

/** The columns that projects and tasks share. */
function commonColumns(record: DumpRecord, { people }: MappingContext): Row {
  return {
    id: record.id,
    name: record.text('name'),
    owner_id: people.userIdOrNull(record, 'owner'),
    assignee_id: people.userIdOrNull(record, 'assignee'),
    assignee_updated_date: record.dateOrNull('assignee_updated_date'),
    bug_tracker: record.text('bug_tracker', ''),
    status: record.text('status', 'annotation'),
    organization_id: record.integerOrNull('organization'),
    source_storage_id: record.integerOrNull('source_storage'),
    target_storage_id: record.integerOrNull('target_storage'),
    created_date: record.date('created_date'),
    updated_date: record.date('updated_date'),
  };
}

const storage: Mapping = {
  model: 'engine.storage',
  stage: 'storage',
  map: (record) => [
    { id: record.id, location: record.text('location'), cloud_storage_id: record.integerOrNull('cloud_storage') },
  ],
};

const project: Mapping = {
  model: 'engine.project',
  stage: 'project',
  map: (record, context) => [commonColumns(record, context)],
};

/** The dimension of a task until it has data, see the column's default. */
const DIMENSION_WITHOUT_DATA = '2d';

const task: Mapping = {
  model: 'engine.task',
  stage: 'task',
  map(record, context) {
    record.ignore('media_type'); // follows from the dimension
    return [
      {
        ...commonColumns(record, context),
        project_id: record.integerOrNull('project'),
        mode: record.textOr('mode', ''),
        overlap: record.integerOrNull('overlap'),
        segment_size: record.integer('segment_size', 0),
        data_id: record.integerOrNull('data'),
        dimension: record.textOr('dimension', '') || DIMENSION_WITHOUT_DATA,
        subset: record.textOr('subset', ''),
        // CVAT 2.80 calls it `initial_replicas`.
        consensus_replicas: record.integer('consensus_replicas', record.integer('initial_replicas', 0)),
      },
    ];
  },
};

const consensusSettings: Mapping = {
  model: 'consensus.consensussettings',
  stage: 'consensus_settings',
  map: (record) => [
    {
      id: record.id,
      task_id: record.integer('task'),
      iou_threshold: record.number('iou_threshold', 0.4),
      quorum: record.number('quorum', 0.5),
    },
  ],
};

const segment: Mapping = {
  model: 'engine.segment',
  stage: 'segment',
  map: (record) => [
    {
      id: record.id,
      task_id: record.integer('task'),
      start_frame: record.integer('start_frame'),
      stop_frame: record.integer('stop_frame'),
      type: record.text('type', 'range'),
      frames: readIntegers(record, 'frames', ''),
      chunks_updated_date: record.date('chunks_updated_date'),
    },
  ],
};

/** Names of CVAT 2.80. */
const NEW_JOB_TYPES: Readonly<Record<string, string>> = { replica: 'consensus_replica' };

const job: Mapping = {
  model: 'engine.job',
  stage: 'job',
  map: (record, { people }) => [
    {
      id: record.id,
      segment_id: record.integer('segment'),
      assignee_id: people.userIdOrNull(record, 'assignee'),
      assignee_updated_date: record.dateOrNull('assignee_updated_date'),
      type: NEW_JOB_TYPES[record.text('type', 'annotation')] ?? record.text('type', 'annotation'),
      status: record.text('status', 'annotation'),
      stage: record.text('stage', 'annotation'),
      state: record.text('state', 'new'),
      parent_job_id: record.integerOrNull('parent_job'),
      created_date: record.date('created_date'),
      updated_date: record.date('updated_date'),
    },
  ],
};

export const workMappings: readonly Mapping[] = [storage, project, task, consensusSettings, segment, job];
