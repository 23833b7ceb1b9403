import { storedDocument, TASK_URL } from '../../engines/quality/document.js';
import { isObject, type JsonObject, type JsonValue } from '../../engines/json/json-value.js';
import type { Mapping } from '../mapping.js';
import { type DumpRecord, isInteger } from '../dump-record.js';

const settings: Mapping = {
  model: 'quality_control.qualitysettings',
  stage: 'quality_settings',
  map: (record) => [
    {
      id: record.id,
      task_id: record.integerOrNull('task'),
      project_id: record.integerOrNull('project'),
      job_filter: record.text('job_filter', ''),
      inherit: record.boolean('inherit', true),
      target_metric: record.text('target_metric', 'accuracy'),
      target_metric_threshold: record.number('target_metric_threshold', 0.7),
      max_validations_per_job: record.integer('max_validations_per_job', 0),
      iou_threshold: record.number('iou_threshold', 0.4),
      oks_sigma: record.number('oks_sigma', 0.09),
      point_size_base: record.text('point_size_base', 'group_bbox_size'),
      line_thickness: record.number('line_thickness', 0.01),
      low_overlap_threshold: record.number('low_overlap_threshold', 0.8),
      compare_line_orientation: record.boolean('compare_line_orientation', true),
      line_orientation_threshold: record.number('line_orientation_threshold', 0.1),
      compare_groups: record.boolean('compare_groups', true),
      group_match_threshold: record.number('group_match_threshold', 0.5),
      check_covered_annotations: record.boolean('check_covered_annotations', true),
      object_visibility_threshold: record.number('object_visibility_threshold', 0.05),
      panoptic_comparison: record.boolean('panoptic_comparison', true),
      compare_attributes: record.boolean('compare_attributes', true),
      empty_is_annotated: record.boolean('empty_is_annotated', false),
      created_date: record.date('created_date'),
      updated_date: record.date('updated_date'),
    },
  ],
};

const report: Mapping = {
  model: 'quality_control.qualityreport',
  stage: 'quality_report',
  map(record, { people }) {
    const data = readData(record);
    const taskId = record.integerOrNull('task');
    record.ignore('assignee_last_updated');
    return [
      {
        id: record.id,
        job_id: record.integerOrNull('job'),
        task_id: taskId,
        project_id: record.integerOrNull('project'),
        assignee_id: people.userIdOrNull(record, 'assignee'),
        immediate: false,
        summary: summaryOf(asObject(data['comparison_summary'])),
        comparison:
          taskId === null
            ? null
            : {
                inherited: asObject(data['parameters'])['inherited'] === true,
                summary: data['comparison_summary'] ?? null,
              },
        document: `\\x${storedDocument(completed(withoutNulls(data))).toString('hex')}`,
        created_date: record.date('created_date'),
        target_last_updated: record.date('target_last_updated'),
        gt_last_updated: record.dateOrNull('gt_last_updated'),
      },
    ];
  },
  parts: {
    stage: 'quality_report_part',
    map: (record) =>
      record.list('parents', 'reports', isInteger).map((parent) => ({
        id: `${record.pk} of ${parent}`,
        child_id: record.id,
        parent_id: parent,
      })),
  },
};

const conflict: Mapping = {
  model: 'quality_control.annotationconflict',
  stage: 'quality_conflict',
  map: (record) => [
    {
      id: record.longId,
      report_id: record.integer('report'),
      frame: record.integerOrNull('frame') ?? 0, // null for an interval, which has no frame
      type: record.text('type'),
      severity: record.text('severity'),
    },
  ],
};

const annotationId: Mapping = {
  model: 'quality_control.annotationid',
  stage: 'quality_annotation_id',
  map: (record) => [
    {
      id: record.longId,
      conflict_id: record.longInteger('conflict'),
      obj_id: record.longInteger('obj_id'),
      job_id: record.integer('job_id'),
      type: record.text('type'),
      shape_type: record.value('shape_type') ?? null,
    },
  ],
};

export const qualityMappings: readonly Mapping[] = [settings, report, conflict, annotationId];

/** @throws CvatImportError if the document of the report is damaged */
function readData(record: DumpRecord): JsonObject {
  const text = record.text('data');
  try {
    const value = JSON.parse(text) as JsonValue;
    if (isObject(value)) return value;
  } catch {
    // reported below
  }
  throw record.wrong('data', 'a JSON object');
}

const asObject = (value: JsonValue | undefined): JsonObject => (isObject(value ?? null) ? (value as JsonObject) : {});

const asNumber = (value: JsonValue | undefined): number => (typeof value === 'number' ? value : 0);

/** CVAT leaves out members that a report of this kind does not have. */
const withoutNulls = (data: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));

/** The document with what CVAT computes only when it serves it. */
function completed(data: JsonObject): JsonObject {
  const summary = asObject(data['comparison_summary']);
  const frames = data['frame_results'];
  return {
    ...data,
    comparison_summary: {
      ...withJaccardIndex(summary),
      frame_share_percent: summary['frame_share_percent'] ?? asNumber(summary['frame_share']) * 100,
    },
    ...(frames === undefined ? {} : { frame_results: mapValues(asObject(frames), completedFrame) }),
  };
}

const completedFrame = (result: JsonValue): JsonObject => {
  const frame = asObject(result);
  const conflicts = asList(frame['conflicts']).map((conflict) => withUrls(asObject(conflict)));
  return { ...withJaccardIndex(frame), ...(frame['conflicts'] === undefined ? {} : { conflicts }) };
};

/** Old reports lack the index in their confusion matrix. */
function withJaccardIndex(part: JsonObject): JsonObject {
  const annotations = asObject(part['annotations']);
  const matrix = annotations['confusion_matrix'];
  if (matrix === undefined || asObject(matrix)['jaccard_index'] !== undefined) return part;
  return { ...part, annotations: { ...annotations, confusion_matrix: { ...asObject(matrix), jaccard_index: null } } };
}

const withUrls = (conflict: JsonObject): JsonObject => ({
  ...conflict,
  annotation_ids: asList(conflict['annotation_ids']).map((id) => {
    const { obj_id: objectId, job_id: jobId, type } = asObject(id);
    const kind = typeof type === 'string' ? type : '';
    const place = `frame=${asNumber(conflict['frame_id'])}&type=${kind}&serverID=${asNumber(objectId)}`;
    const url = `${TASK_URL}/jobs/${asNumber(jobId)}?${place}`;
    return { ...asObject(id), url };
  }),
});

const mapValues = (object: JsonObject, change: (value: JsonValue) => JsonValue): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

const asList = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

/** The summary in lists, from that of the document. Older reports have fewer numbers, from which the others follow. */
function summaryOf(comparison: JsonObject): object {
  const number = (name: string): number => asNumber(comparison[name]);
  const annotations = asObject(comparison['annotations']);
  const count = number('frame_count');
  const share = number('frame_share');
  const counts = (name: 'tasks' | 'jobs', names: readonly string[]): object => {
    const found = comparison[name];
    if (!isObject(found ?? null)) return {};
    const numbers = names.map((each): [string, number] => [each, asNumber(asObject(found)[`${each}_count`])]);
    return { [name]: { ...Object.fromEntries(numbers), completed: 0 } }; // unknown, but newer clients need it
  };
  return {
    total_frames:
      typeof comparison['total_frames'] === 'number' ? number('total_frames') : Math.round(count / (share || 1)),
    frame_count: count,
    frame_share: share,
    validation_frames: count,
    validation_frame_share: share,
    conflict_count: number('conflict_count'),
    warning_count: number('warning_count'),
    error_count: number('error_count'),
    conflicts_by_type: asObject(comparison['conflicts_by_type']),
    ...Object.fromEntries(
      ['valid_count', 'ds_count', 'gt_count', 'total_count', 'accuracy', 'precision', 'recall'].map((name) => [
        name,
        asNumber(annotations[name]),
      ]),
    ),
    ...counts('tasks', ['total', 'custom', 'not_configured', 'excluded', 'included']),
    ...counts('jobs', ['total', 'excluded', 'not_checkable', 'included']),
  };
}
