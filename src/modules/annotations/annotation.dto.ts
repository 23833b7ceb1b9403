import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions, type ApiQueryOptions } from '@nestjs/swagger';
import { FRACTION } from '../../core/http/body/fields.js';
import { SHAPE_TYPES, type AnnotationAction } from '../../shared/annotations/model.js';
import { Invalid, InvalidList, movedExport, movedStatus } from '../../core/http/errors/errors.js';
import { parameter } from '../../core/list/page-request.js';
import type { Target } from './annotated-task.repository.js';

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
    description: 'Return a shape of each track, with `keyframe`, on every frame on which the track is visible',
  },
  start: { name: 'start', required: false, type: 'integer', description: 'First frame; only with interpolated=true' },
  stop: { name: 'stop', required: false, type: 'integer', description: 'Last frame; only with interpolated=true' },
};

/** The DTOs in this file only document the API. `engines/annotations` reads and writes the bodies. */
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
    'mask: run lengths, starting with the background, then left, top, right, bottom; skeleton: none',
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
  @ApiPropertyOptional({
    readOnly: true,
    description: 'Only in responses to changes of tasks and with interpolated=true',
  })
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

type Query = Readonly<Record<string, unknown>>;

const EXPORT_PARAMETERS = ['format', 'filename', 'action', 'location', 'cloud_storage_id'];
const IMPORT_PARAMETERS = ['format', 'rq_id'];

const names = (query: Query, parameters: readonly string[]): boolean =>
  parameters.some((parameter) => Object.hasOwn(query, parameter));

/** Rejects the parameters with which older clients start an export. @throws PlainError 410 */
export function refuseExport(query: Query, { kind }: Target): void {
  if (!names(query, EXPORT_PARAMETERS)) return;
  throw movedExport(`/api/${kind}s/id/dataset/export?save_images=False`);
}

/** Rejects the parameters with which older clients poll an import. @throws PlainError 410 */
export function refuseImportStatus(query: Query): void {
  if (names(query, IMPORT_PARAMETERS)) throw movedStatus();
}

/** The requested frames; both ends are inclusive. */
export interface FrameWindow {
  readonly start?: number;
  readonly stop?: number;
}

/** Which annotations a read returns, and in which form. */
export interface AnnotationView {
  /** The state after this save. Default: the current state. */
  readonly at?: number;
  /** Return tracks with a shape on every frame, and only objects on these frames. */
  readonly interpolated?: FrameWindow;
}

/** @throws Invalid that names the parameter */
export function readView(query: Query): AnnotationView {
  const [wanted, start, stop] = [parameter(query, 'interpolated'), frameOf(query, 'start'), frameOf(query, 'stop')];
  if (!['', 'true', 'false'].includes(wanted)) throw new Invalid({ interpolated: ['Must be true or false.'] });
  if (wanted !== 'true') {
    const named = Object.keys({ ...start, ...stop })[0];
    if (named !== undefined) throw new Invalid({ [named]: ['Requires interpolated=true.'] });
    return {};
  }
  const frames = { ...start, ...stop };
  if ((frames.start ?? 0) > (frames.stop ?? Infinity)) throw new Invalid({ stop: ['Must not be less than start.'] });
  return { interpolated: frames };
}

function frameOf<Name extends 'start' | 'stop'>(query: Query, name: Name): { readonly [key in Name]?: number } {
  const text = parameter(query, name);
  if (text === '') return {};
  if (!/^\d{1,9}$/.test(text)) throw new Invalid({ [name]: ['Must be a frame number.'] });
  return { [name]: Number(text) } as { readonly [key in Name]?: number };
}

/** @throws InvalidList */
export function readAction(query: Query): AnnotationAction {
  const { action } = query;
  if (action === 'create' || action === 'update' || action === 'delete') return action;
  throw new InvalidList("Please specify a correct 'action' for the request");
}
