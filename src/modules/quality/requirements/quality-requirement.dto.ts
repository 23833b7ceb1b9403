import { ApiProperty } from '@nestjs/swagger';
import { NestedField } from '../../../core/http/body/composite-fields.js';
import { BoolField, ChoiceField, FloatField, FRACTION, IntField, TextField } from '../../../core/http/body/fields.js';
import { bool, integer, type ListSpec, text } from '../../../core/list/list-spec.js';
import { sql } from '../../../engines/sql/sql.js';
import {
  POINT_SIZE_BASES,
  type QualitySettingsRow,
  qualitySettingsList,
  SETTINGS_FROM,
  TARGET_METRICS,
  type TargetMetric,
  type UpdateQualitySettingsDto,
} from '../settings/quality-settings.dto.js';

/**
 * CVAT 2.80 replaces the single settings by requirements. Cairn has one for all settings of a task or project: the base,
 * from which others would inherit. Its id is that of the settings.
 */
export const BASE_REQUIREMENT = 'Base';

const SHARE = { min: 0, max: 1 };
const ANNOTATION_TYPES = ['tag', 'rectangle', 'skeleton', 'skeleton_keypoint', 'points', 'polyline', 'mask', 'polygon', 'ellipse'] as const; // prettier-ignore
const COMPARATORS = ['exact', 'levenshtein'] as const;

export class AttributeDefaultInputDto {
  @BoolField({ optional: true }) enabled?: boolean;
  @ChoiceField(COMPARATORS, { optional: true }) comparator?: (typeof COMPARATORS)[number];
  @FloatField({ optional: true, nullable: true, ...SHARE }) threshold?: number | null;
}

export class AttributeRuleInputDto {
  @IntField() spec_id!: number;
  @BoolField({ optional: true }) enabled?: boolean;
  @ChoiceField(COMPARATORS, { optional: true }) comparator?: (typeof COMPARATORS)[number];
  @FloatField({ optional: true, nullable: true, ...SHARE }) threshold?: number | null;
}

export class AttributeComparisonInputDto {
  @NestedField(() => AttributeDefaultInputDto, { optional: true }) default?: AttributeDefaultInputDto;
  @NestedField(() => AttributeRuleInputDto, { list: true, optional: true }) rules?: AttributeRuleInputDto[];
}

const FIXED = { optional: true, description: 'Cannot be changed' };

/** The thresholds and the metric can be changed. Clients also send what is fixed. */
export class UpdateQualityRequirementDto {
  @TextField({ ...FIXED, max: 250 }) name?: string;
  @IntField(FIXED) sort_order?: number;
  @TextField({ ...FIXED, blank: true }) filter?: string;
  @BoolField(FIXED) enabled?: boolean;
  @ChoiceField(ANNOTATION_TYPES, { ...FIXED, nullable: true })
  annotation_type?: (typeof ANNOTATION_TYPES)[number] | null;
  @IntField({ ...FIXED, nullable: true }) parent_requirement?: number | null;
  @ChoiceField(TARGET_METRICS, { optional: true }) metric?: TargetMetric;
  @FloatField({ optional: true, ...SHARE }) required_score?: number;
  @FloatField({ optional: true, ...SHARE }) iou_threshold?: number;
  @FloatField({ optional: true, ...SHARE }) point_size?: number;
  @ChoiceField(POINT_SIZE_BASES, { optional: true }) point_size_base?: (typeof POINT_SIZE_BASES)[number];
  @FloatField({ optional: true, ...SHARE }) line_thickness?: number;
  @BoolField({ optional: true }) match_orientation?: boolean;
  @FloatField({ optional: true, ...SHARE }) line_orientation_threshold?: number;
  @BoolField({ optional: true }) match_groups?: boolean;
  @FloatField({ optional: true, ...SHARE }) group_match_threshold?: number;
  @BoolField({ optional: true }) check_covered_annotations?: boolean;
  @FloatField({ optional: true, ...SHARE }) object_visibility_threshold?: number;
  @BoolField({ optional: true }) panoptic_comparison?: boolean;
  @NestedField(() => AttributeComparisonInputDto, { optional: true })
  attribute_comparison?: AttributeComparisonInputDto;
}

export class AttributeDefaultDto {
  @ApiProperty() enabled!: boolean;
  @ApiProperty({ enum: COMPARATORS }) comparator!: string;
}

export class AttributeComparisonDto {
  @ApiProperty({ type: AttributeDefaultDto, description: 'For all attributes' }) default!: AttributeDefaultDto;
  @ApiProperty({ type: 'array', items: { type: 'object' }, description: 'Always empty' }) rules!: object[];
}

const share = (description?: string): PropertyDecorator =>
  ApiProperty({ ...FRACTION, minimum: 0, maximum: 1, ...(description === undefined ? {} : { description }) });

/** Parameters by their names in CVAT 2.80. */
class ParametersDto {
  @share() iou_threshold!: number;
  @share('`oks_sigma` of the settings') point_size!: number;
  @ApiProperty({ enum: POINT_SIZE_BASES }) point_size_base!: string;
  @share() line_thickness!: number;
  @ApiProperty({ description: '`compare_line_orientation` of the settings' }) match_orientation!: boolean;
  @share() line_orientation_threshold!: number;
  @ApiProperty({ description: '`compare_groups` of the settings' }) match_groups!: boolean;
  @share() group_match_threshold!: number;
  @ApiProperty() check_covered_annotations!: boolean;
  @share() object_visibility_threshold!: number;
  @ApiProperty() panoptic_comparison!: boolean;
  @ApiProperty({ type: AttributeComparisonDto }) attribute_comparison!: AttributeComparisonDto;
}

/** The parameters that apply, which for the base are its own. */
export class EffectiveParametersDto extends ParametersDto {}

export class QualityRequirementListItemDto extends ParametersDto {
  @ApiProperty() id!: number;
  @ApiProperty() settings_id!: number;
  @ApiProperty({ type: Number, nullable: true }) task_id!: number | null;
  @ApiProperty({ type: Number, nullable: true }) project_id!: number | null;
  @ApiProperty() name!: string;
  @ApiProperty({ description: 'Always true' }) is_base!: boolean;
  @ApiProperty() sort_order!: number;
  @ApiProperty({ description: 'Always empty' }) filter!: string;
  @ApiProperty({ description: 'Always true' }) enabled!: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'Always null: all types' }) annotation_type!: string | null;
  @ApiProperty({ enum: TARGET_METRICS }) metric!: string;
  @share('The target for the metric') required_score!: number;
  @ApiProperty({ type: Number, nullable: true, description: 'Always null' }) parent_requirement!: number | null;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
}

export class QualityRequirementDto extends QualityRequirementListItemDto {
  @ApiProperty({ type: EffectiveParametersDto }) effective!: EffectiveParametersDto;
}

const parametersOf = (row: QualitySettingsRow): EffectiveParametersDto => ({
  iou_threshold: row.iou_threshold,
  point_size: row.oks_sigma,
  point_size_base: row.point_size_base,
  line_thickness: row.line_thickness,
  match_orientation: row.compare_line_orientation,
  line_orientation_threshold: row.line_orientation_threshold,
  match_groups: row.compare_groups,
  group_match_threshold: row.group_match_threshold,
  check_covered_annotations: row.check_covered_annotations,
  object_visibility_threshold: row.object_visibility_threshold,
  panoptic_comparison: row.panoptic_comparison,
  attribute_comparison: { default: { enabled: row.compare_attributes, comparator: 'exact' }, rules: [] },
});

export const toRequirementListItem = (row: QualitySettingsRow): QualityRequirementListItemDto => ({
  id: row.id,
  settings_id: row.id,
  task_id: row.task_id,
  project_id: row.project_id,
  name: BASE_REQUIREMENT,
  is_base: true,
  sort_order: 0,
  filter: '',
  enabled: true,
  annotation_type: null,
  metric: row.target_metric,
  required_score: row.target_metric_threshold,
  parent_requirement: null,
  ...parametersOf(row),
  created_date: row.created_date,
  updated_date: row.updated_date,
});

export const toRequirement = (row: QualitySettingsRow): QualityRequirementDto => ({
  ...toRequirementListItem(row),
  effective: parametersOf(row),
});

/** The settings that a change of the base changes. */
export function toSettingsChange(dto: UpdateQualityRequirementDto): UpdateQualitySettingsDto {
  const change: { [Name in keyof UpdateQualitySettingsDto]: UpdateQualitySettingsDto[Name] | undefined } = {
    target_metric: dto.metric,
    target_metric_threshold: dto.required_score,
    iou_threshold: dto.iou_threshold,
    oks_sigma: dto.point_size,
    point_size_base: dto.point_size_base,
    line_thickness: dto.line_thickness,
    compare_line_orientation: dto.match_orientation,
    line_orientation_threshold: dto.line_orientation_threshold,
    compare_groups: dto.match_groups,
    group_match_threshold: dto.group_match_threshold,
    check_covered_annotations: dto.check_covered_annotations,
    object_visibility_threshold: dto.object_visibility_threshold,
    panoptic_comparison: dto.panoptic_comparison,
    compare_attributes: dto.attribute_comparison?.default?.enabled,
  };
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

/** What lists of requirements can be filtered and sorted by. */
export const qualityRequirementList: ListSpec = {
  from: SETTINGS_FROM,
  fields: {
    ...qualitySettingsList.fields,
    settings_id: integer('quality_settings.id'),
    name: text(sql`${BASE_REQUIREMENT}::text`),
    sort_order: integer(sql`0::int`),
    enabled: bool(sql`true::boolean`),
    annotation_type: text(sql`null::text`),
  },
  search: ['name'],
  simple: ['annotation_type', 'enabled', 'settings_id', 'task_id', 'project_id'],
  sortable: ['id', 'name', 'sort_order', 'created_date', 'updated_date'],
  defaultSort: 'id',
  organization: qualitySettingsList.organization ?? sql`null`,
  key: sql`quality_settings.id`,
};
