import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { ListField, NestedField, textItem } from '../../core/http/body/composite-fields.js';
import { BoolField, ChoiceField, IntField, TextField } from '../../core/http/body/fields.js';

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

const DRAWING = 'Drawing of a skeleton. Scripts and everything else that does not draw are removed.';

export class SublabelInputDto {
  @TextField({ max: 64 }) name!: string;
  @TextField(COLOR) color?: string;
  @NestedField(() => AttributeInputDto, { list: true, optional: true }) attributes?: AttributeInputDto[];
  @ChoiceField(LABEL_TYPES, { optional: true }) type?: string;
}

/** A label in the body of a new project or task. Ids are ignored. */
export class LabelInputDto extends SublabelInputDto {
  @NestedField(() => SublabelInputDto, { list: true, optional: true }) sublabels?: SublabelInputDto[];
  @TextField({ optional: true, blank: true, max: 1_000_000, verbatim: true, description: DRAWING })
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
  @TextField({ optional: true, blank: true, max: 1_000_000, verbatim: true, description: DRAWING }) svg?: string;
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

/** A label inside another object, and a sublabel of a skeleton. */
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

export interface SublabelRow {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly type: string;
  readonly attributes: readonly AttributeDto[];
}

export interface LabelRow extends SublabelRow {
  readonly project_id: number | null;
  readonly task_id: number | null;
  readonly parent_id: number | null;
  readonly svg: string | null;
  readonly sublabels: readonly SublabelRow[];
}

const toAttribute = (row: AttributeDto): AttributeDto => ({
  id: row.id,
  name: row.name,
  mutable: row.mutable,
  input_type: row.input_type,
  default_value: row.default_value,
  values: row.values,
});

const toSublabel = (row: SublabelRow): SublabelDto => ({
  id: row.id,
  name: row.name,
  color: row.color,
  attributes: row.attributes.map(toAttribute),
  type: row.type,
  has_parent: true,
});

/** The only owner is shown, and the drawing only on skeletons. */
export const toLabel = (row: LabelRow): LabelDto => ({
  id: row.id,
  name: row.name,
  color: row.color,
  attributes: row.attributes.map(toAttribute),
  type: row.type,
  sublabels: row.sublabels.map(toSublabel),
  ...(row.project_id === null ? { task_id: row.task_id ?? 0 } : { project_id: row.project_id }),
  parent_id: row.parent_id,
  has_parent: row.parent_id !== null,
  ...(row.type === 'skeleton' ? { svg: row.svg ?? '' } : {}),
});

/** A label as version 2.0 puts it into tasks, projects and jobs. */
export const toEmbeddedLabel = (row: LabelRow): SublabelDto & { sublabels: SublabelDto[] } => ({
  id: row.id,
  name: row.name,
  color: row.color,
  attributes: row.attributes.map(toAttribute),
  type: row.type,
  sublabels: row.sublabels.map(toSublabel),
  has_parent: row.parent_id !== null,
});

/** The drawing of a skeleton with the names of its elements instead of their ids, as files have it. */
export function drawingByNames({ svg, sublabels }: Pick<LabelRow, 'svg' | 'sublabels'>): string {
  const names = new Map(sublabels.map(({ id, name }) => [id, name]));
  return (svg ?? '').replaceAll(/data-label-id="(\d+)"/g, (text, id: string) => {
    const name = names.get(Number(id));
    return name === undefined ? text : `data-label-name="${escaped(name)}"`;
  });
}

const escaped = (name: string): string => name.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** The same the other way round, with names that are escaped or not. @param ids by name */
export const drawingByIds = (svg: string, ids: ReadonlyMap<string, number>): string =>
  svg.replaceAll(/data-label-name="([^"]*)"/g, (text, name: string) => {
    const id = ids.get(name) ?? ids.get(name.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
    return id === undefined ? text : `data-label-id="${id}"`;
  });

/** The labels of projects and tasks, as version 2.0 embeds them. */
export class EmbeddedLabels {
  private readonly ofProjects = new Map<unknown, ReturnType<typeof toEmbeddedLabel>[]>();
  private readonly ofTasks = new Map<unknown, ReturnType<typeof toEmbeddedLabel>[]>();

  constructor(rows: readonly LabelRow[]) {
    for (const row of rows) {
      const [owners, id] = row.project_id === null ? [this.ofTasks, row.task_id] : [this.ofProjects, row.project_id];
      const known = owners.get(id);
      if (known === undefined) owners.set(id, [toEmbeddedLabel(row)]);
      else known.push(toEmbeddedLabel(row));
    }
  }

  /** The labels that a task and its jobs use. Tasks of one project share one array. */
  ofTask(projectId: unknown, taskId: unknown): Extras {
    return projectId === null ? { labels: this.ofTasks.get(taskId) ?? [] } : this.ofProject(projectId);
  }

  ofProject(projectId: unknown): Extras {
    return { labels: this.ofProjects.get(projectId) ?? [] };
  }
}

interface Extras extends Readonly<Record<string, unknown>> {
  readonly labels: readonly ReturnType<typeof toEmbeddedLabel>[];
}
