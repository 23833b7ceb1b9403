import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';
import { ChoicesField, ListField, NestedField, nameItem } from '../../core/http/body/composite-fields.js';
import { BoolField, ChoiceField, IntField, TextField } from '../../core/http/body/fields.js';
import type { Urls } from '../../core/http/response/urls.js';
import { ANY_TYPE, type FunctionLabel, type FunctionSublabel } from '../../engines/functions/label-spec.js';
import { SHAPE_TYPES } from '../../shared/annotations/model.js';
import { INPUT_TYPES } from '../labels/index.js';
import { readBasicUser } from '../users/index.js';

export const FUNCTION_KINDS = ['detector', 'interactor', 'tracker'] as const;
export type FunctionKind = (typeof FUNCTION_KINDS)[number];
export const VISIBILITIES = ['private', 'public'] as const;
const PROVIDERS = ['native'] as const;
const LABEL_TYPES = ['any', 'tag', ...SHAPE_TYPES] as const;
/** The version of the interactors' interface. Apps of CVAT offer interactors from 2 on. */
const VERSION = 2;
/** `min_neg_points` of an interactor that takes no negative points. */
const NO_NEGATIVE_POINTS = -1;

class FunctionAttributeInputDto {
  @TextField({ max: 256, verbatim: true }) name!: string;
  @ChoiceField(INPUT_TYPES) input_type!: string;
  @ListField(nameItem(), { maxItems: 10_000 }) values!: string[];
}

class FunctionSublabelInputDto {
  @TextField({ max: 256, verbatim: true }) name!: string;
  @NestedField(() => FunctionAttributeInputDto, { list: true, optional: true })
  attributes?: FunctionAttributeInputDto[];
  @ChoiceField(LABEL_TYPES, { optional: true, description: 'Absent: any' }) type?: string;
}

class FunctionLabelInputDto extends FunctionSublabelInputDto {
  @NestedField(() => FunctionSublabelInputDto, { list: true, optional: true, description: 'Only of skeletons' })
  sublabels?: FunctionSublabelInputDto[];
}

export class CreateFunctionDto {
  @ChoiceField(PROVIDERS) provider!: string;
  @TextField({ max: 256 }) name!: string;
  @TextField({ optional: true, blank: true, max: 10_000 }) description?: string;
  @ChoiceField(VISIBILITIES, { optional: true, description: 'Default: private' }) visibility?: string;
  @ChoiceField(FUNCTION_KINDS) kind!: FunctionKind;
  @NestedField(() => FunctionLabelInputDto, { list: true, optional: true, description: 'Required for detectors' })
  labels_v2?: FunctionLabelInputDto[];
  @ChoicesField(SHAPE_TYPES, { optional: true, description: 'Required for trackers' })
  supported_shape_types?: string[];
  @IntField({ optional: true, min: 0, description: 'Required for interactors' }) min_pos_points?: number;
  @IntField({ optional: true, min: -1, description: 'Absent or -1: no negative points' }) min_neg_points?: number;
  @BoolField({ optional: true, description: 'An interactor needs a box' }) startswith_box?: boolean;
  @BoolField({ optional: true, description: 'An interactor accepts a box' }) startswith_box_optional?: boolean;
}

export class UpdateFunctionDto {
  @TextField({ optional: true, max: 256 }) name?: string;
  @TextField({ optional: true, blank: true, max: 10_000 }) description?: string;
  @ChoiceField(VISIBILITIES, { optional: true }) visibility?: string;
}

export class FunctionAttributeDto {
  @ApiProperty() name!: string;
  @ApiProperty({ enum: INPUT_TYPES }) input_type!: string;
  @ApiProperty({ type: String, isArray: true }) values!: readonly string[];
}

export class FunctionSublabelDto {
  @ApiProperty() name!: string;
  @ApiProperty({ enum: LABEL_TYPES }) type!: string;
  @ApiProperty({ type: FunctionAttributeDto, isArray: true }) attributes!: readonly FunctionAttributeDto[];
}

export class FunctionLabelDto extends FunctionSublabelDto {
  @ApiPropertyOptional({ type: FunctionSublabelDto, isArray: true, description: 'Only of skeletons' })
  sublabels?: readonly FunctionSublabelDto[];
}

/** What functions of a kind declare. */
export class FunctionSpec {
  @ApiPropertyOptional({ type: FunctionLabelDto, isArray: true, description: 'Only of detectors' })
  labels_v2?: readonly FunctionLabelDto[];
  @ApiPropertyOptional({ enum: SHAPE_TYPES, isArray: true, description: 'Only of trackers' })
  supported_shape_types?: readonly string[];
  @ApiPropertyOptional({ description: 'Only of interactors' }) min_pos_points?: number;
  @ApiPropertyOptional({ description: 'Only of interactors. -1: no negative points' }) min_neg_points?: number;
  @ApiPropertyOptional({ description: 'Only of interactors' }) startswith_box?: boolean;
  @ApiPropertyOptional({ description: 'Only of interactors' }) startswith_box_optional?: boolean;
}

export class FunctionDto extends FunctionSpec {
  @ApiProperty() url!: string;
  @ApiProperty() id!: number;
  @ApiProperty({ enum: PROVIDERS }) provider!: string;
  @ApiProperty() name!: string;
  @ApiProperty() description!: string;
  @ApiProperty({ enum: VISIBILITIES }) visibility!: string;
  @ApiProperty({ enum: FUNCTION_KINDS }) kind!: string;
  @ApiProperty({ type: BasicUserDto, nullable: true }) owner!: BasicUserDto | null;
  @ApiProperty({ type: Number, nullable: true }) organization!: number | null;
  @ApiProperty() version!: number;
  @ApiProperty({ description: 'Always empty' }) help_message!: string;
  @ApiProperty({ description: 'Always empty' }) animated_gif!: string;
  @ApiProperty({ description: 'Whether an agent is connected, or has asked for work within two minutes' })
  has_agent!: boolean;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
}

export interface FunctionRow {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly kind: FunctionKind;
  readonly visibility: string;
  readonly spec: FunctionSpec;
  readonly owner_id: number | null;
  readonly organization_id: number | null;
  readonly has_agent: boolean;
  readonly created_date: string;
  readonly updated_date: string;
}

export const toFunction = (row: FunctionRow, urls: Urls): FunctionDto => ({
  url: urls.function(row.id),
  id: row.id,
  provider: 'native',
  name: row.name,
  description: row.description,
  visibility: row.visibility,
  kind: row.kind,
  owner: readBasicUser(row, 'owner', urls),
  organization: row.organization_id,
  version: VERSION,
  help_message: '',
  animated_gif: '',
  has_agent: row.has_agent,
  created_date: row.created_date,
  updated_date: row.updated_date,
  ...row.spec,
});

/** The fields that each kind requires. */
export const REQUIRED_OF = {
  detector: 'labels_v2',
  tracker: 'supported_shape_types',
  interactor: 'min_pos_points',
} as const satisfies Record<FunctionKind, keyof CreateFunctionDto>;

/** What a new function declares. The body has the field that its kind requires. */
export function specOf(dto: CreateFunctionDto): FunctionSpec {
  if (dto.kind === 'detector') return { labels_v2: (dto.labels_v2 ?? []).map(labelOf) };
  if (dto.kind === 'tracker') return { supported_shape_types: (dto.supported_shape_types ?? []).toSorted() };
  return {
    min_pos_points: dto.min_pos_points ?? 0,
    min_neg_points: dto.min_neg_points ?? NO_NEGATIVE_POINTS,
    startswith_box: dto.startswith_box ?? false,
    startswith_box_optional: dto.startswith_box_optional ?? false,
  };
}

function labelOf({ sublabels, ...label }: FunctionLabelInputDto): FunctionLabel {
  return { ...sublabelOf(label), ...(sublabels === undefined ? {} : { sublabels: sublabels.map(sublabelOf) }) };
}

const sublabelOf = ({ name, type = ANY_TYPE, attributes = [] }: FunctionSublabelInputDto): FunctionSublabel => ({
  name,
  type,
  attributes: attributes.map(({ name: own, input_type: input, values }) => ({ name: own, input_type: input, values })),
});
