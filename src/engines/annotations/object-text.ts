import type * as rows from './rows.js';

type TagRow = rows.Unstored<rows.TagRow>;
type ShapeRow = rows.Unstored<rows.ShapeRow>;
type TrackRow = rows.Unstored<rows.TrackRow>;
type TrackedShapeRow = rows.Unstored<rows.TrackedShapeRow>;
type IntervalRow = rows.Unstored<rows.IntervalRow>;

/**
 * JSON text of single annotations, built by concatenation: the long parts (points, attributes) are JSON text already.
 * Reads and responses to writes have the same keys in different orders, as in CVAT. `score` is written only if it is
 * not 1, so that older clients see no new key.
 */

function sourceText(source: string): string {
  return source === 'manual' ? '"manual"' : JSON.stringify(source);
}

function scoreText(score: number): string {
  return score === 1 ? '' : `,"score":${score}`;
}

/** The position fields of a shape, in the order that both forms share. */
function flagsText(row: ShapeRow | TrackedShapeRow): string {
  return `"occluded":${row.occluded},"outside":${row.outside},"z_order":${row.z_order},"rotation":${row.rotation}`;
}

function tailText(row: { group_id: number | null; source: string }): string {
  return `"group":${row.group_id},"source":${sourceText(row.source)}`;
}

export const readText = {
  tag: (row: TagRow, attributes: string): string =>
    `{"id":${row.id},"label_id":${row.label_id},"frame":${row.frame},${tailText(row)},"attributes":${attributes}}`,

  /** @param elements JSON text of the list of elements; absent for an element itself */
  shape: (row: ShapeRow, attributes: string, elements?: string): string =>
    `{"id":${row.id},"label_id":${row.label_id},"type":"${row.type}","frame":${row.frame},${tailText(row)},` +
    `${flagsText(row)},"points":${row.type === 'skeleton' ? '[]' : row.points},"attributes":${attributes}` +
    `${scoreText(row.score)}${listText('elements', elements)}}`,

  track: (row: TrackRow, shapes: string, elements?: string): string =>
    `${readText.trackHead(row)}${shapes},"attributes":${row.attributes}${listText('elements', elements)}}`,

  /** The JSON of a track up to its list of shapes. */
  trackHead: (row: TrackRow): string =>
    `{"id":${row.id},"label_id":${row.label_id},"frame":${row.frame},${tailText(row)},"shapes":`,

  /** @param keyframe written only together with interpolated shapes */
  trackedShape: (row: TrackedShapeRow, keyframe?: boolean): string =>
    `{"id":${row.id},"type":"${row.type}","frame":${row.frame},${flagsText(row)},"points":${row.points},` +
    `"attributes":${row.attributes}${keyframe === undefined ? '' : `,"keyframe":${keyframe}`}}`,
} as const;

export const writeText = {
  tag: (row: TagRow): string =>
    `{"id":${row.id},"frame":${row.frame},"label_id":${row.label_id},${tailText(row)},"attributes":${row.attributes}}`,

  shape: (row: ShapeRow, elements?: string): string =>
    `{"type":"${row.type}",${flagsText(row)},"points":${row.points},"id":${row.id},"frame":${row.frame},` +
    `"label_id":${row.label_id},${tailText(row)},"attributes":${row.attributes}` +
    `${scoreText(row.score)}${listText('elements', elements)}}`,

  /** The JSON of a track up to its list of shapes. */
  trackHead: (row: TrackRow): string =>
    `{"id":${row.id},"frame":${row.frame},"label_id":${row.label_id},${tailText(row)},` +
    `"attributes":${row.attributes},"shapes":`,

  trackedShape: (row: TrackedShapeRow, keyframe: boolean): string =>
    `{"type":"${row.type}",${flagsText(row)},"points":${row.points},"id":${row.id},"frame":${row.frame},` +
    `"attributes":${row.attributes}${keyframe ? ',"keyframe":true' : ''}}`,
} as const;

/** The same in both forms. */
export function intervalText(row: IntervalRow, attributes: string): string {
  return (
    `{"id":${row.id},"label_id":${row.label_id},"start":${row.start},"stop":${row.stop},${tailText(row)},` +
    `"attributes":${attributes},"score":${row.score}}`
  );
}

function listText(key: string, list: string | undefined): string {
  return list === undefined ? '' : `,"${key}":${list}`;
}
