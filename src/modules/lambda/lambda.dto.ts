import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { FRACTION } from '../../core/http/body/fields.js';
import { FUNCTION_KINDS, type DescribedLabel } from '../../engines/functions/description.js';
import { LabeledDataDto } from '../annotations/index.js';
import type { LambdaFunction } from './lambda-function.js';

export class LambdaAttributeDto {
  @ApiProperty() name!: string;
  @ApiProperty() input_type!: string;
  @ApiProperty({ type: [String] }) values!: string[];
}

export class LambdaSublabelDto {
  @ApiProperty() name!: string;
  @ApiProperty({ description: 'Type of a label; `any` if the function does not fix it' }) type!: string;
  @ApiProperty({ type: [LambdaAttributeDto] }) attributes!: LambdaAttributeDto[];
}

export class LambdaLabelDto extends LambdaSublabelDto {
  @ApiPropertyOptional({ type: [LambdaSublabelDto], description: 'Only of skeletons' })
  sublabels?: LambdaSublabelDto[];
  @ApiPropertyOptional({ description: 'Drawing of a skeleton' }) svg?: string;
}

export class LambdaOwnerDto {
  @ApiProperty() id!: number;
  @ApiProperty() username!: string;
}

/** A function for automatic annotation. */
export class LambdaFunctionDto {
  @ApiProperty({ description: 'Of functions that agents run, the id in /api/functions as text' }) id!: string;
  @ApiProperty({ enum: FUNCTION_KINDS }) kind!: string;
  @ApiProperty({ type: [LambdaLabelDto], description: 'Of detectors; empty for other kinds' })
  labels_v2!: LambdaLabelDto[];
  @ApiProperty() description!: string;
  @ApiProperty() name!: string;
  @ApiProperty() version!: number;
  @ApiPropertyOptional({ description: 'Of interactors, as are the following' }) min_pos_points?: number;
  @ApiPropertyOptional({ description: '-1: negative points are not allowed' }) min_neg_points?: number;
  @ApiPropertyOptional() startswith_box?: boolean;
  @ApiPropertyOptional() startswith_box_optional?: boolean;
  @ApiPropertyOptional() help_message?: string;
  @ApiPropertyOptional() animated_gif?: string;
  @ApiPropertyOptional({ type: [String], description: 'Of trackers' }) supported_shape_types?: string[];
  @ApiProperty({ enum: ['cvat', 'native'], description: '`cvat`: called over HTTP; `native`: run by agents' })
  provider!: string;
  @ApiPropertyOptional({ type: LambdaOwnerDto, nullable: true, description: 'Native functions, as are the following' })
  owner?: LambdaOwnerDto | null;
  @ApiPropertyOptional({ description: 'Whether an agent runs the function' }) has_agent?: boolean;
  @ApiPropertyOptional({ format: 'date-time' }) created_date?: string;
  @ApiPropertyOptional({ format: 'date-time' }) updated_date?: string;
  @ApiPropertyOptional({ format: 'uri' }) url?: string;
}

export function toLambdaFunction(one: LambdaFunction): LambdaFunctionDto {
  return {
    id: one.id,
    kind: one.kind,
    labels_v2: one.labels.map(toLabel),
    description: one.description,
    name: one.name,
    version: one.version,
    ...(one.kind === 'interactor' ? interactorFields(one) : {}),
    ...(one.kind === 'tracker' ? { supported_shape_types: [...(one.shapeTypes ?? ['rectangle'])] } : {}),
    provider: one.provider,
    ...one.registration,
  };
}

const interactorFields = (one: LambdaFunction): Partial<LambdaFunctionDto> => ({
  min_pos_points: one.minPosPoints,
  min_neg_points: one.minNegPoints,
  startswith_box: one.startsWithBox,
  startswith_box_optional: one.startsWithBoxOptional,
  help_message: one.helpMessage,
  animated_gif: one.animatedGif,
});

const toLabel = ({ name, type, attributes, sublabels, svg }: DescribedLabel): LambdaLabelDto => ({
  name,
  type,
  attributes: attributes.map((attribute) => ({
    name: attribute.name,
    input_type: attribute.input_type,
    values: [...attribute.values],
  })),
  ...(type === 'skeleton' ? { sublabels: (sublabels ?? []).map(toLabel), svg: svg ?? '' } : {}),
});

const POINT_LIST = { type: 'array', items: { type: 'array', items: FRACTION } } as const;
const ANY_LIST = { type: 'array', items: { type: 'object', additionalProperties: true } } as const;

class LambdaTargetDto {
  @ApiPropertyOptional({ description: 'A task; not needed with `job`' }) task?: number;
  @ApiPropertyOptional({ description: 'Only this job' }) job?: number;
}

const MAPPING = {
  type: 'object',
  additionalProperties: true,
  description:
    'By labels of the function: `{"name": label of the task, "attributes": {of the function: of the task}, ' +
    '"sublabels": …}`. Labels that are not named are dropped. Default: labels and attributes with equal names',
} as const;
const REGION = {
  type: 'array',
  items: { type: 'integer' },
  minItems: 4,
  maxItems: 4,
  description: 'Left, top, right and bottom of the part of the frame to use',
} as const;

/** One call of a function. What it needs depends on the kind of the function. */
export class CallFunctionDto extends LambdaTargetDto {
  @ApiPropertyOptional({ description: 'Number in the task; not of reid functions' }) frame?: number;
  @ApiPropertyOptional({ ...FRACTION, description: 'Detectors, reid: 0 is the default of the function' })
  threshold?: number;
  @ApiPropertyOptional(MAPPING) mapping?: object;
  @ApiPropertyOptional({ description: 'Detectors: return polygons instead of masks' }) conv_mask_to_poly?: boolean;
  @ApiPropertyOptional(REGION) roi?: number[];
  @ApiPropertyOptional({ ...POINT_LIST, description: 'Interactors' }) pos_points?: number[][];
  @ApiPropertyOptional({ ...POINT_LIST, description: 'Interactors' }) neg_points?: number[][];
  @ApiPropertyOptional({ ...POINT_LIST, description: 'Interactors: empty, or two corners' }) obj_bbox?: number[][];
  @ApiPropertyOptional({ ...ANY_LIST, description: 'Trackers: the shapes to track from this frame on' })
  shapes?: object[];
  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', nullable: true },
    description: 'Trackers: from the response for the previous frame',
  })
  states?: (string | null)[];
  @ApiPropertyOptional({ description: 'Reid, as are the following' }) frame0?: number;
  @ApiPropertyOptional() frame1?: number;
  @ApiPropertyOptional(ANY_LIST) boxes0?: object[];
  @ApiPropertyOptional(ANY_LIST) boxes1?: object[];
  @ApiPropertyOptional() max_distance?: number;
}

/** What a tracker returns. */
export class TrackingDto {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', nullable: true, additionalProperties: true },
    description: 'Objects with `type` and `points`; null for lost ones',
  })
  shapes!: (object | null)[];
  @ApiProperty({ type: [String], description: 'For the next call. They expire after eight hours' }) states!: string[];
}

export { LabeledDataDto };

/** A request that annotates a task or job. */
export class CreateFunctionCallDto extends LambdaTargetDto {
  @ApiProperty({ description: 'Id of the function' }) function!: string;
  @ApiPropertyOptional({ ...FRACTION, description: '0 is the default of the function' }) threshold?: number;
  @ApiPropertyOptional({ default: false, description: 'Delete all annotations of the task or job first' })
  cleanup?: boolean;
  @ApiPropertyOptional({ default: false, description: 'Return polygons instead of masks' }) conv_mask_to_poly?: boolean;
  @ApiPropertyOptional(MAPPING) mapping?: object;
  @ApiPropertyOptional({ description: 'Reid functions' }) max_distance?: number;
  @ApiPropertyOptional(REGION) roi?: number[];
}

export class CalledFunctionDto {
  @ApiProperty() id!: string;
  @ApiProperty({ ...FRACTION, nullable: true }) threshold!: number | null;
  @ApiProperty() task!: number;
  @ApiPropertyOptional({ description: 'If only one job is annotated' }) job?: number;
}

export const CALL_STATUSES = ['queued', 'started', 'finished', 'failed'] as const;

/** A request that annotates a task or job. */
export class FunctionCallDto {
  @ApiProperty({ example: 'action=autoannotate&target=task&target_id=7' }) id!: string;
  @ApiProperty({ type: CalledFunctionDto }) function!: CalledFunctionDto;
  @ApiProperty({ enum: CALL_STATUSES }) status!: string;
  @ApiProperty({ type: 'integer', nullable: true, minimum: 0, maximum: 100 }) progress!: number | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) enqueued!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) started!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) ended!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why it failed' }) exc_info!: string | null;
}
