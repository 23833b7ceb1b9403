import type { Dispatch } from 'react';
import { croppedTo, type Size } from '#shared/annotations/editing/geometry';
import type { Geometry, Shape, ShapeType } from '#shared/annotations/model';
import { NotPossible } from '../../app/not-possible';
import type { Step } from './data/review';
import type { Editor } from './editing/editor';
import { allowsType } from './editing/new-objects';
import { CONVERTIBLE_TYPES, type ConvertedType, isConvertible } from './editing/converted-types';
import type { Outcome } from './editing/shape-conversion';

interface Context {
  readonly editor: Editor | undefined;
  readonly step: Dispatch<Step>;
  /** The frame on the canvas. */
  readonly frame: number;
  readonly size: Size;
  /** Keys of the selected objects that can be changed, the active one last. */
  readonly keys: readonly string[];
  readonly onError: (error: unknown) => void;
}

/** Actions that make other shapes of the selected ones. Each is one step of the undo history. */
export interface ShapeActions {
  join(): void;
  /** Starts to draw the line that slices the active object. */
  startSlice(): void;
  slice(line: readonly number[]): void;
  convert(to: ConvertedType): void;
  crop(): void;
}

interface Target {
  readonly key: string;
  readonly shape: Shape;
}

/** Shapes that are to be replaced. */
interface Replacement {
  readonly keys: readonly string[];
  readonly shapes: readonly Geometry[];
}

const REGIONS = ['polygon', 'mask'] as const;

export function shapeActions({ editor, step, frame, size, keys, onError }: Context): ShapeActions {
  /** Runs code that is loaded when it is first needed. */
  const load = <Code>(loading: Promise<Code>, work: (code: Code, editor: Editor) => void): void => {
    if (editor !== undefined) void loading.then((code) => work(code, editor)).catch(onError);
  };
  const targets = (types: readonly ShapeType[]): Target[] =>
    keys.flatMap((key) => {
      const object = editor?.document.get(key);
      return object?.kind === 'shape' && types.includes(object.value.type) ? [{ key, shape: object.value }] : [];
    });
  /** @throws Error if there are no shapes, or if the label does not allow them */
  const replacementOf = ({ labels }: Editor, replaced: readonly Target[], outcome: Outcome): Replacement => {
    if ('problem' in outcome) throw new NotPossible(outcome.problem);
    const label = labels.find(({ id }) => id === replaced[0]?.shape.label_id);
    const type = outcome.shapes.find((shape) => label !== undefined && !allowsType(label, shape.type))?.type;
    if (type !== undefined)
      throw new NotPossible(`Objects with the label ${label?.name} cannot have the type ${type}.`);
    return { keys: replaced.map(({ key }) => key), shapes: outcome.shapes };
  };
  const replace = (title: string, on: Editor, replacements: readonly Replacement[]): void => {
    const selected: string[] = [];
    on.together(() => {
      for (const one of replacements) selected.push(...on.replace(title, one.keys, one.shapes));
    });
    step({ do: 'select-all', keys: selected });
  };
  return {
    join: () =>
      load(import('./editing/shape-operations'), ({ joined }, on) => {
        const replaced = targets(REGIONS);
        if (replaced.length < 2)
          throw new NotPossible('Select at least two polygons or masks of this frame to join them.');
        const outcome = joined(
          replaced.map(({ shape }) => shape),
          size,
        );
        replace('Join', on, [replacementOf(on, replaced, outcome)]);
      }),
    startSlice: () => {
      if (targets(REGIONS).at(-1)?.key === keys.at(-1) && keys.length > 0) step({ do: 'use', tool: 'slice' });
      else onError(new NotPossible('Select a polygon or a mask to slice it. Tracks cannot be sliced.'));
    },
    slice: (line) => {
      step({ do: 'use', tool: 'select' });
      load(import('./editing/shape-operations'), ({ sliced }, on) => {
        const replaced = targets(REGIONS).slice(-1);
        const outcomes = replaced.map(({ shape }) => sliced(shape, line, size));
        replace(
          'Slice',
          on,
          outcomes.map((outcome) => replacementOf(on, replaced, outcome)),
        );
      });
    },
    convert: (to) =>
      load(import('./editing/shape-conversion'), ({ converted }, on) => {
        const replacements = targets(CONVERTIBLE_TYPES)
          .filter(({ shape }) => isConvertible(shape.type, to))
          .map((target) => replacementOf(on, [target], converted(target.shape, to, size)));
        if (replacements.length > 0) replace(`Convert to ${to}`, on, replacements);
      }),
    crop: () => {
      const isPartlyOutside = ({ shape }: Target): boolean =>
        croppedTo(shape, size).points.some((value, at) => value !== shape.points[at]);
      const polygons = targets(['polygon']).filter(isPartlyOutside);
      const cropOthers = (on: Editor): void => {
        const others = keys.filter((key) => polygons.every((polygon) => polygon.key !== key));
        for (const key of others) on.reshape('Crop to image', key, frame, (shape) => croppedTo(shape, size));
      };
      if (polygons.length === 0) return editor?.together(() => cropOthers(editor));
      load(import('./editing/shape-operations'), ({ croppedPolygon }, on) =>
        on.together(() => {
          cropOthers(on);
          for (const { key, shape } of polygons) {
            const parts = croppedPolygon(shape, size);
            if (parts.length > 0) on.replace('Crop to image', [key], parts);
          }
        }),
      );
    },
  };
}
