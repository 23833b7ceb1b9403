import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions, type ApiQueryOptions } from '@nestjs/swagger';
import { FRACTION } from '../../core/http/fields.js';
import { SHAPE_TYPES } from '../../shared/annotations/model.js';

export const ACTION_PARAMETER: ApiQueryOptions = {
  name: 'action',
  required: true,
  enum: ['create', 'update', 'delete'],
  description: 'create: ids must be absent; update: objects with these ids are replaced; delete: ids are needed',
};

/** Query parameters of reads. */
export const VIEW_PARAMETERS: Readonly<Record<'interpolated' | 'start' | 'stop', ApiQueryOptions>> = {
  interpolated: {
    name: 'interpolated',
    required: false,
    type: Boolean,
    description: 'Tracks have a shape on every frame on which they are visible, with `keyframe`',
  },
  start: { name: 'start', required: false, type: 'integer', description: 'Of interpolated=true: the first frame' },
  stop: { name: 'stop', required: false, type: 'integer', description: 'Of interpolated=true: the last frame' },
};

/** Only for the API document: the engine reads and writes bodies. */
export class AttributeValueDto {
  @ApiProperty({ description: 'Attribute of the label' }) spec_id!: number;
  @ApiProperty({ maxLength: 4096 }) value!: string;
}

class LabeledDto {
  @ApiPropertyOptional({ type: Number, nullable: true }) id?: number | null;
  @ApiProperty({ description: 'A label of the task or its project' }) label_id!: number;
  @ApiPropertyOptional({ type: Number, nullable: true, minimum: 0 }) group?: number | null;
  @ApiPropertyOptional({ maxLength: 16, default: 'manual' }) source?: string;
  @ApiPropertyOptional({ type: [AttributeValueDto] }) attributes?: AttributeValueDto[];
}

export class TagDto extends LabeledDto {
  @ApiProperty({ minimum: 0, description: 'Number in the task' }) frame!: number;
}

export class IntervalDto extends LabeledDto {
  @ApiProperty({ minimum: 0 }) start!: number;
  @ApiPropertyOptional({ type: Number, nullable: true, description: 'Exclusive; null: to the end' })
  stop?: number | null;
  @ApiPropertyOptional({ ...FRACTION, minimum: 0, maximum: 1, default: 1 }) score?: number;
}

const POINTS: ApiPropertyOptions = {
  type: 'array',
  items: FRACTION,
  description:
    'rectangle: x1, y1, x2, y2; ellipse: cx, cy, right x, top y; polygon, polyline, points: x, y, …; cuboid: 16 numbers; ' +
    'mask: run lengths from background on, then left, top, right, bottom; skeleton: none',
};

export class ShapeElementDto extends LabeledDto {
  @ApiProperty({ enum: SHAPE_TYPES }) type!: string;
  @ApiProperty({ minimum: 0, description: 'Number in the task' }) frame!: number;
  @ApiPropertyOptional({ default: false }) occluded?: boolean;
  @ApiPropertyOptional({ default: false }) outside?: boolean;
  @ApiPropertyOptional({ default: 0 }) z_order?: number;
  @ApiPropertyOptional({ ...FRACTION, minimum: 0, maximum: 360, default: 0, description: 'Degrees clockwise' })
  rotation?: number;
  @ApiPropertyOptional(POINTS) points?: number[];
  @ApiPropertyOptional({ ...FRACTION, minimum: 0, maximum: 1, default: 1 }) score?: number;
}

export class ShapeDto extends ShapeElementDto {
  @ApiPropertyOptional({ type: [ShapeElementDto], description: 'Only of skeletons' }) elements?: ShapeElementDto[];
}

export class TrackedShapeDto {
  @ApiPropertyOptional({ type: Number, nullable: true }) id?: number | null;
  @ApiProperty({ enum: SHAPE_TYPES }) type!: string;
  @ApiProperty({ minimum: 0 }) frame!: number;
  @ApiPropertyOptional({ default: false }) occluded?: boolean;
  @ApiPropertyOptional({ default: false, description: 'Not visible from here on' }) outside?: boolean;
  @ApiPropertyOptional({ default: 0 }) z_order?: number;
  @ApiPropertyOptional({ ...FRACTION, minimum: 0, maximum: 360, default: 0 }) rotation?: number;
  @ApiPropertyOptional(POINTS) points?: number[];
  @ApiPropertyOptional({ type: [AttributeValueDto], description: 'Mutable attributes' })
  attributes?: AttributeValueDto[];
  @ApiPropertyOptional({ readOnly: true, description: 'In responses to writes of tasks, and in interpolated ones' })
  keyframe?: boolean;
}

export class TrackElementDto extends LabeledDto {
  @ApiProperty({ minimum: 0 }) frame!: number;
  @ApiProperty({ type: [TrackedShapeDto], description: 'Keyframes' }) shapes!: TrackedShapeDto[];
}

export class TrackDto extends TrackElementDto {
  @ApiPropertyOptional({ type: [TrackElementDto], description: 'Only of skeletons' }) elements?: TrackElementDto[];
}

export class LabeledDataDto {
  @ApiPropertyOptional({ default: 0 }) version?: number;
  @ApiPropertyOptional({ type: [TagDto] }) tags?: TagDto[];
  @ApiPropertyOptional({ type: [ShapeDto] }) shapes?: ShapeDto[];
  @ApiPropertyOptional({ type: [TrackDto] }) tracks?: TrackDto[];
  @ApiPropertyOptional({ type: [IntervalDto] }) intervals?: IntervalDto[];
}
