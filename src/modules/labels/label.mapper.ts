import type { AttributeDto, LabelDto, SublabelDto } from './label.dto.js';

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
export const drawingByNames = ({ svg, sublabels }: Pick<LabelRow, 'svg' | 'sublabels'>): string =>
  (svg ?? '').replaceAll(/data-label-id="(\d+)"/g, (text, id: string) => {
    const joint = sublabels.find((known) => known.id === Number(id));
    return joint === undefined ? text : `data-label-name="${escaped(joint.name)}"`;
  });

const escaped = (name: string): string => name.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** The same the other way round, with names that are escaped or not. @param ids by name */
export const drawingByIds = (svg: string, ids: ReadonlyMap<string, number>): string =>
  svg.replaceAll(/data-label-name="([^"]*)"/g, (text, name: string) => {
    const id = ids.get(name) ?? ids.get(name.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
    return id === undefined ? text : `data-label-id="${id}"`;
  });

type EmbeddedLabel = ReturnType<typeof toEmbeddedLabel>;

/** Embedded labels of many owners by the owner's id; labels of the same owner are one array. */
export function embeddedByOwner(rows: readonly LabelRow[]): ReadonlyMap<unknown, readonly EmbeddedLabel[]> {
  const labels = new Map<unknown, EmbeddedLabel[]>();
  for (const row of rows) {
    const owner = row.project_id ?? row.task_id;
    const known = labels.get(owner);
    if (known === undefined) labels.set(owner, [toEmbeddedLabel(row)]);
    else known.push(toEmbeddedLabel(row));
  }
  return labels;
}
