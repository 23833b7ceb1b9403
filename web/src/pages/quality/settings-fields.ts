import type { QualitySettings } from '../../app/api';

type Name = keyof QualitySettings;

interface BaseField {
  readonly name: Name;
  readonly title: string;
  /** In plain words: what it changes. */
  readonly text: string;
}

/** A setting, and how its field looks. */
export type SettingsField =
  | (BaseField & { readonly kind: 'share' | 'switch' | 'count' | 'text' })
  | (BaseField & {
      readonly kind: 'choice';
      readonly options: readonly { readonly value: string; readonly label: string }[];
    });

export interface SettingsGroup {
  readonly title: string;
  readonly fields: readonly SettingsField[];
}

export const SETTINGS_GROUPS: readonly SettingsGroup[] = [
  {
    title: 'Target',
    fields: [
      {
        name: 'target_metric',
        kind: 'choice',
        title: 'Metric',
        text: 'The number that is compared with the target.',
        options: [
          { value: 'accuracy', label: 'Accuracy: counts missing and extra objects' },
          { value: 'precision', label: 'Precision: counts extra objects' },
          { value: 'recall', label: 'Recall: counts missing objects' },
        ],
      },
      {
        name: 'target_metric_threshold',
        kind: 'share',
        title: 'Target',
        text: 'The lowest acceptable value. It changes colours and notices, but no numbers.',
      },
      {
        name: 'max_validations_per_job',
        kind: 'count',
        title: 'Checks after completion of a job',
        text: 'How many times a completed job is checked at once, so that its annotator sees the outcome. 0 turns this off.',
      },
    ],
  },
  {
    title: 'Jobs and frames',
    fields: [
      {
        name: 'job_filter',
        kind: 'text',
        title: 'Job filter',
        text: 'A JSON Logic expression over assignee, id, stage, state, task_id, task_name and type. If empty, all jobs are checked.',
      },
      {
        name: 'empty_is_annotated',
        kind: 'switch',
        title: 'Count empty frames',
        text: 'A frame without objects on both sides counts as one match.',
      },
    ],
  },
  {
    title: 'Matching',
    fields: [
      {
        name: 'iou_threshold',
        kind: 'share',
        title: 'Minimum overlap (IoU)',
        text: 'Two shapes with less overlap are different objects.',
      },
      {
        name: 'low_overlap_threshold',
        kind: 'share',
        title: 'Low overlap',
        text: 'Matching shapes with less overlap get a warning.',
      },
      {
        name: 'compare_attributes',
        kind: 'switch',
        title: 'Compare attributes',
        text: 'Different attribute values of matching objects get a warning.',
      },
      {
        name: 'panoptic_comparison',
        kind: 'switch',
        title: 'Compare visible parts only',
        text: 'Polygons and masks are compared without the parts that other objects cover.',
      },
    ],
  },
  {
    title: 'Points and skeletons',
    fields: [
      {
        name: 'oks_sigma',
        kind: 'share',
        title: 'Tolerance (OKS sigma)',
        text: 'The distance from a point of the ground truth that still counts as near, relative to the size of the object.',
      },
      {
        name: 'point_size_base',
        kind: 'choice',
        title: 'Size that tolerances refer to',
        text: 'For points without a skeleton.',
        options: [
          { value: 'group_bbox_size', label: 'Box around the points of a group' },
          { value: 'image_size', label: 'Size of the image' },
        ],
      },
    ],
  },
  {
    title: 'Polylines',
    fields: [
      {
        name: 'line_thickness',
        kind: 'share',
        title: 'Thickness',
        text: 'Lines are compared as strips of this thickness, relative to the size of the image.',
      },
      {
        name: 'compare_line_orientation',
        kind: 'switch',
        title: 'Compare directions',
        text: 'Lines that run the other way get a warning.',
      },
      {
        name: 'line_orientation_threshold',
        kind: 'share',
        title: 'Difference of directions',
        text: 'How much better the reversed line must match before there is a warning.',
      },
    ],
  },
  {
    title: 'Groups and covered objects',
    fields: [
      {
        name: 'compare_groups',
        kind: 'switch',
        title: 'Compare groups',
        text: 'Objects that are grouped differently get a warning.',
      },
      {
        name: 'group_match_threshold',
        kind: 'share',
        title: 'Matching groups',
        text: 'The share of common objects from which two groups are the same.',
      },
      {
        name: 'check_covered_annotations',
        kind: 'switch',
        title: 'Find covered objects',
        text: 'Objects that others cover almost completely get a warning.',
      },
      {
        name: 'object_visibility_threshold',
        kind: 'share',
        title: 'Minimum visible part',
        text: 'Objects with a smaller visible part are covered.',
      },
    ],
  },
];

export const SETTINGS_FIELDS = SETTINGS_GROUPS.flatMap(({ fields }) => fields);
