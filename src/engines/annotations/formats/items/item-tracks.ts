import type { AttributeValue, Shape, Track, TrackedShape } from '../../../../shared/annotations/model.js';
import { type FileLocation, refuse } from '../format.js';
import type { LabelNames } from '../label-names.js';

interface TrackRow {
  readonly shape: Shape;
  readonly isKeyframe: boolean;
  readonly location: FileLocation;
}

/** Joins the shapes that a reader finds to tracks, by their numbers. */
export class ItemTracks {
  /** By number and type: a file may join shapes of different types. */
  private readonly rows = new Map<string, TrackRow[]>();

  /**
   * @param lastFrame of the task or job
   * @param source of the tracks
   */
  constructor(
    private readonly labels: LabelNames,
    private readonly lastFrame: number,
    private readonly source: string,
  ) {}

  add(number: number, row: TrackRow): void {
    const key = `${number} ${row.shape.type}`;
    const rows = this.rows.get(key);
    if (rows === undefined) this.rows.set(key, [row]);
    else rows.push(row);
  }

  /** Builds the tracks, and forgets them. @throws FormatError if a track has two shapes on one frame */
  *take(): Generator<{ readonly track: Track; readonly location: FileLocation }> {
    for (const rows of this.rows.values()) yield { track: this.trackOf(rows), location: rows[0]?.location ?? '' };
    this.rows.clear();
  }

  private trackOf(rows: readonly TrackRow[]): Track {
    const sorted = rows.toSorted((a, b) => a.shape.frame - b.shape.frame);
    const [first, last] = [sorted[0], sorted.at(-1)];
    if (first === undefined || last === undefined) throw new Error('a track without shapes');
    for (const [at, row] of sorted.entries()) {
      if (row.shape.frame === sorted[at + 1]?.shape.frame) refuse(row.location, 'a track has two shapes on one frame');
    }
    const immutable = new Set(this.immutable(first.shape.label_id));
    const keyframes = this.keyframes(sorted, (values) => values.filter(({ spec_id }) => !immutable.has(spec_id)));
    return {
      id: null,
      label_id: first.shape.label_id,
      frame: first.shape.frame,
      group: first.shape.group,
      source: this.source,
      attributes: last.shape.attributes.filter(({ spec_id }) => immutable.has(spec_id)),
      shapes: keyframes.map(({ shape }) => shape),
      elements: first.shape.elements.map((element, at) => ({
        id: null,
        label_id: element.label_id,
        frame: first.shape.frame,
        group: 0,
        source: this.source,
        attributes: [],
        shapes: keyframes.flatMap(({ shape, elements }) => {
          const own = elements[at];
          if (own === undefined || (shape.outside && own.outside)) return [];
          const { type, points, occluded, outside, attributes } = own;
          return [{ ...shape, type, points, occluded, outside: outside || shape.outside, attributes }];
        }),
      })),
    };
  }

  /**
   * The keyframes of a track: shapes that say so, the first one, those after a gap, and those where an element appears or
   * disappears. Where the next frame has no shape, the last one follows hidden.
   */
  private keyframes(
    rows: readonly TrackRow[],
    mutable: (values: AttributeValue[]) => AttributeValue[],
  ): { shape: TrackedShape; elements: Shape['elements'] }[] {
    const found: { shape: TrackedShape; elements: Shape['elements'] }[] = [];
    for (const [at, { shape, isKeyframe }] of rows.entries()) {
      const [before, after] = [rows[at - 1]?.shape, rows[at + 1]?.shape];
      const isAlone = before === undefined || before.frame !== shape.frame - 1;
      const keyframe = {
        id: null,
        type: shape.type,
        frame: shape.frame,
        occluded: shape.occluded,
        outside: false,
        z_order: shape.z_order,
        rotation: shape.rotation,
        points: shape.points,
        attributes: mutable(shape.attributes),
      };
      const { elements } = shape;
      if (isKeyframe || isAlone || visibility(before) !== visibility(shape)) found.push({ shape: keyframe, elements });
      if (after?.frame === shape.frame + 1 || shape.frame >= this.lastFrame) continue;
      found.push({ shape: { ...keyframe, frame: shape.frame + 1, outside: true }, elements });
    }
    return found;
  }

  private immutable(labelId: number): number[] {
    return this.labels
      .get(labelId)
      .attributes.filter(({ mutable }) => !mutable)
      .map(({ id }) => id);
  }
}

const visibility = ({ elements }: Shape): string => elements.map(({ outside }) => Number(outside)).join('');
