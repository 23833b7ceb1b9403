import { ApiProperty } from '@nestjs/swagger';
import { BoolField, ChoiceField, FloatField, FRACTION, IntField, TextField } from '../../../core/http/body/fields.js';
import { bool, integer, type ListSpec, timestamp } from '../../../core/list/list-spec.js';
import { raw, sql } from '../../../engines/sql/sql.js';
import { column, from, leftJoin, table } from '../../../engines/sql/tables.js';

export const TARGET_METRICS = ['accuracy', 'precision', 'recall'] as const;
export const POINT_SIZE_BASES = ['image_size', 'group_bbox_size'] as const;

export type TargetMetric = (typeof TARGET_METRICS)[number];

const JOB_FILTER = {
  description:
    'JSON Logic: which jobs are checked. Fields: assignee, id, stage, state, task_id, task_name, type. Empty: every job except ground truth',
};
const SHARE = { min: 0, max: 1 };

/** All fields can be changed; the others are ignored. */
export class UpdateQualitySettingsDto {
  @TextField({ optional: true, blank: true, max: 1024, ...JOB_FILTER }) job_filter?: string;
  @BoolField({ optional: true }) inherit?: boolean;
  @ChoiceField(TARGET_METRICS, { optional: true }) target_metric?: TargetMetric;
  @FloatField({ optional: true, ...SHARE }) target_metric_threshold?: number;
  @IntField({ optional: true, min: 0, max: 2147483647 }) max_validations_per_job?: number;
  @FloatField({ optional: true, ...SHARE }) iou_threshold?: number;
  @FloatField({ optional: true, ...SHARE }) oks_sigma?: number;
  @ChoiceField(POINT_SIZE_BASES, { optional: true }) point_size_base?: (typeof POINT_SIZE_BASES)[number];
  @FloatField({ optional: true, ...SHARE }) line_thickness?: number;
  @FloatField({ optional: true, ...SHARE }) low_overlap_threshold?: number;
  @BoolField({ optional: true }) compare_line_orientation?: boolean;
  @FloatField({ optional: true, ...SHARE }) line_orientation_threshold?: number;
  @BoolField({ optional: true }) compare_groups?: boolean;
  @FloatField({ optional: true, ...SHARE }) group_match_threshold?: number;
  @BoolField({ optional: true }) check_covered_annotations?: boolean;
  @FloatField({ optional: true, ...SHARE }) object_visibility_threshold?: number;
  @BoolField({ optional: true }) panoptic_comparison?: boolean;
  @BoolField({ optional: true }) compare_attributes?: boolean;
  @BoolField({ optional: true }) empty_is_annotated?: boolean;
}

const share = (description: string): PropertyDecorator =>
  ApiProperty({ ...FRACTION, minimum: 0, maximum: 1, description });

export class QualitySettingsDto {
  @ApiProperty() id!: number;
  @ApiProperty({ type: Number, nullable: true }) task_id!: number | null;
  @ApiProperty({ type: Number, nullable: true }) project_id!: number | null;
  @ApiProperty({ maxLength: 1024, ...JOB_FILTER }) job_filter!: string;
  @ApiProperty({ description: 'Of a task: its project’s settings apply, if it is in a project' }) inherit!: boolean;
  @ApiProperty({ enum: TARGET_METRICS }) target_metric!: string;
  @share('The target for the metric. A completed job below it is marked as such') target_metric_threshold!: number;
  @ApiProperty({
    minimum: 0,
    maximum: 2147483647,
    description: 'How often a job is checked automatically when it is completed. 0: never',
  })
  max_validations_per_job!: number;
  @share('The least similarity of objects that count as a pair') iou_threshold!: number;
  @share('Points and skeletons: the tolerance, as a share of the size of the object') oks_sigma!: number;
  @ApiProperty({ enum: POINT_SIZE_BASES, description: 'Points: the size that the tolerance is a share of' })
  point_size_base!: string;
  @share('Polylines: the tolerance, as a share of the size of the image') line_thickness!: number;
  @share('Pairs that are less similar get a warning') low_overlap_threshold!: number;
  @ApiProperty() compare_line_orientation!: boolean;
  @share('How much less similar a polyline must be in its own direction to get a warning')
  line_orientation_threshold!: number;
  @ApiProperty() compare_groups!: boolean;
  @share('The least similarity of groups that count as a pair') group_match_threshold!: number;
  @ApiProperty() check_covered_annotations!: boolean;
  @share('An object of which less is visible gets a warning') object_visibility_threshold!: number;
  @ApiProperty({ description: 'Polygons and masks are compared by their visible parts' }) panoptic_comparison!: boolean;
  @ApiProperty() compare_attributes!: boolean;
  @ApiProperty({ description: 'A frame without objects on both sides counts as a match' }) empty_is_annotated!: boolean;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
}

/** The columns have the names of the fields. */
export type QualitySettingsRow = QualitySettingsDto;

/** `quality_settings` with the task and the project whose people may see it. */
export const SETTINGS_FROM = from({
  table: table('quality_settings'),
  joins: [
    leftJoin(table('task'), 'quality_settings.task_id'),
    leftJoin(table('project'), sql`coalesce(${column('quality_settings.project_id')}, ${column('task.project_id')})`),
  ],
});

const FIELDS = [
  'id', 'task_id', 'project_id', 'job_filter', 'inherit', 'target_metric', 'target_metric_threshold',
  'max_validations_per_job', 'iou_threshold', 'oks_sigma', 'point_size_base', 'line_thickness', 'low_overlap_threshold',
  'compare_line_orientation', 'line_orientation_threshold', 'compare_groups', 'group_match_threshold',
  'check_covered_annotations', 'object_visibility_threshold', 'panoptic_comparison', 'compare_attributes',
  'empty_is_annotated', 'created_date', 'updated_date',
] as const satisfies readonly (keyof QualitySettingsRow)[]; // prettier-ignore

/** Columns of `QualitySettingsRow`, in the order of the API. */
export const SETTINGS_COLUMNS = raw(FIELDS.map((name) => `quality_settings.${name}`).join(', '));

/** What lists of settings can be filtered and sorted by. */
export const qualitySettingsList: ListSpec = {
  from: SETTINGS_FROM,
  fields: {
    id: integer('quality_settings.id'),
    task_id: integer('quality_settings.task_id'),
    project_id: integer('quality_settings.project_id'),
    inherit: bool('quality_settings.inherit'),
    created_date: timestamp('quality_settings.created_date'),
    updated_date: timestamp('quality_settings.updated_date'),
  },
  search: [],
  simple: ['task_id', 'inherit'],
  defaultSort: 'id',
  organization: sql`coalesce(${column('task.organization_id')}, ${column('project.organization_id')})`,
};
