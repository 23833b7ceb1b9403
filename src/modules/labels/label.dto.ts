import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { ListField, NestedField, textItem } from '../../core/http/composite-fields.js';
import { BoolField, ChoiceField, IntField, TextField } from '../../core/http/fields.js';

export const LABEL_TYPES = [
  'any',
  'cuboid',
  'ellipse',
  'interval',
  'mask',
  'points',
  'polygon',
  'polyline',
  'rectangle',
  'skeleton',
  'tag',
] as const;

export const INPUT_TYPES = ['checkbox', 'radio', 'number', 'text', 'select'] as const;

/** An attribute of a new label. */
export class AttributeInputDto {
  @TextField({ max: 64 }) name!: string;
  @BoolField() mutable!: boolean;
  @ChoiceField(INPUT_TYPES) input_type!: string;
  @TextField({ max: 128, optional: true, blank: true }) default_value?: string;
  @ListField(textItem(200)) values!: string[];
}

/** An attribute in a change of a label. Without an `id`, it is found by name or created. */
export class AttributeChangeDto {
  @IntField({ optional: true }) id?: number;
  @TextField({ max: 64, optional: true }) name?: string;
  @BoolField({ optional: true }) mutable?: boolean;
  @ChoiceField(INPUT_TYPES, { optional: true }) input_type?: string;
  @TextField({ max: 128, optional: true, blank: true }) default_value?: string;
  @ListField(textItem(200), { optional: true }) values?: string[];
}

const COLOR = {
  max: 8,
  optional: true,
  blank: true,
  description: 'Any text, usually `#rrggbb`. Derived from the name if empty.',
} as const;

export class SublabelInputDto {
  @TextField({ max: 64 }) name!: string;
  @TextField(COLOR) color?: string;
  @NestedField(() => AttributeInputDto, { list: true, optional: true }) attributes?: AttributeInputDto[];
  @ChoiceField(LABEL_TYPES, { optional: true }) type?: string;
}

/** A label in the body of a new project or task. Ids are ignored. */
export class LabelInputDto extends SublabelInputDto {
  @NestedField(() => SublabelInputDto, { list: true, optional: true }) sublabels?: SublabelInputDto[];
  @TextField({ optional: true, blank: true, max: 1_000_000, verbatim: true, description: 'Drawing of a skeleton' })
  svg?: string;
  @BoolField({ optional: true }) deleted?: boolean;
}

/** A label in a change of a project or task: with `id` it changes or goes (`deleted`), without it is new. */
export class LabelChangeDto {
  @IntField({ optional: true }) id?: number;
  @TextField({ max: 64, optional: true }) name?: string;
  @TextField(COLOR) color?: string;
  @NestedField(() => AttributeChangeDto, { list: true, optional: true }) attributes?: AttributeChangeDto[];
  @ChoiceField(LABEL_TYPES, { optional: true }) type?: string;
  @NestedField(() => SublabelInputDto, { list: true, optional: true }) sublabels?: SublabelInputDto[];
  @TextField({ optional: true, blank: true, max: 1_000_000, verbatim: true }) svg?: string;
  @BoolField({ optional: true }) deleted?: boolean;
}

export class AttributeDto {
  @ApiProperty() id!: number;
  @ApiProperty({ maxLength: 64 }) name!: string;
  @ApiProperty() mutable!: boolean;
  @ApiProperty({ enum: INPUT_TYPES }) input_type!: string;
  @ApiProperty({ maxLength: 128 }) default_value!: string;
  @ApiProperty({ type: [String] }) values!: string[];
}

/** A label inside another object, and a joint of a skeleton. */
export class SublabelDto {
  @ApiProperty() id!: number;
  @ApiProperty({ maxLength: 64 }) name!: string;
  @ApiProperty({ maxLength: 8 }) color!: string;
  @ApiProperty({ type: [AttributeDto] }) attributes!: AttributeDto[];
  @ApiProperty({ enum: LABEL_TYPES }) type!: string;
  @ApiProperty() has_parent!: boolean;
}

/** A label as version 2.0 puts it into tasks, projects and jobs. */
export class EmbeddedLabelDto extends OmitType(SublabelDto, ['has_parent'] as const) {
  @ApiProperty({ type: [SublabelDto] }) sublabels!: SublabelDto[];
  @ApiProperty() has_parent!: boolean;
}

export class LabelDto {
  @ApiProperty() id!: number;
  @ApiProperty({ maxLength: 64 }) name!: string;
  @ApiProperty({ maxLength: 8 }) color!: string;
  @ApiProperty({ type: [AttributeDto] }) attributes!: AttributeDto[];
  @ApiProperty({ enum: LABEL_TYPES }) type!: string;
  @ApiProperty({ type: [SublabelDto] }) sublabels!: SublabelDto[];
  @ApiPropertyOptional({ description: 'Only when a task owns the label' }) task_id?: number;
  @ApiPropertyOptional({ description: 'Only when a project owns the label' }) project_id?: number;
  @ApiProperty({ type: Number, nullable: true }) parent_id!: number | null;
  @ApiProperty() has_parent!: boolean;
  @ApiPropertyOptional({ description: 'Only on skeletons' }) svg?: string;
}
