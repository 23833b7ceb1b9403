import { useMemo, useState } from 'react';
import { defaultMapping, type LabelMapping, type MappedLabel, sentMapping } from './label-mapping';
import type { Model, ModelKind } from './model';
import type { RunOptions } from './model-requests';

/** The function that a dialog uses, and its options. */
export interface Detector {
  readonly models: readonly Model[];
  /** The labels of the task. */
  readonly labels: readonly MappedLabel[];
  readonly model: Model | undefined;
  readonly mapping: LabelMapping;
  /** 0 to 1; null: the default of the function. */
  readonly threshold: number | null;
  readonly convertsMasks: boolean;
  /** Between rectangles of a track, in pixels; null: the default of the function. */
  readonly maxDistance: number | null;
  /** The options in the form of a request; undefined if something is missing. */
  readonly options: Omit<RunOptions, 'cleanup'> | undefined;
  choose(id: string): void;
  /** @param to id of the task's label; undefined: the function's label is not used */
  map(name: string, to: number | undefined): void;
  setThreshold(threshold: number | null): void;
  setConvertsMasks(converts: boolean): void;
  setMaxDistance(distance: number | null): void;
}

const NOTHING: LabelMapping = new Map();

/**
 * Keeps the options of functions. Each detector has its own mapping of labels, by default to those with the same name.
 * @param kinds of functions that can be used
 */
export function useDetector(
  all: readonly Model[],
  labels: readonly MappedLabel[],
  kinds: readonly ModelKind[],
): Detector {
  const models = all.filter(({ kind }) => kinds.includes(kind));
  const [id, setId] = useState<string>();
  const [changed, setChanged] = useState<ReadonlyMap<string, LabelMapping>>(new Map());
  const [threshold, setThreshold] = useState<number | null>(null);
  const [convertsMasks, setConvertsMasks] = useState(false);
  const [maxDistance, setMaxDistance] = useState<number | null>(null);
  const model = models.find((one) => one.id === id) ?? models[0];
  const mapping = useMemo(
    () => (model === undefined ? NOTHING : (changed.get(model.id) ?? defaultMapping(model.labels_v2, labels))),
    [model, changed, labels],
  );
  const optionsOf = (): Detector['options'] => {
    if (model === undefined) return undefined;
    const common = { function: model.id, ...(threshold === null ? {} : { threshold }) };
    if (model.kind === 'reid') return { ...common, ...(maxDistance === null ? {} : { max_distance: maxDistance }) };
    if (mapping.size === 0) return undefined;
    return { ...common, mapping: sentMapping(model.labels_v2, labels, mapping), conv_mask_to_poly: convertsMasks };
  };
  return {
    models,
    labels,
    model,
    mapping,
    threshold,
    convertsMasks,
    maxDistance,
    options: optionsOf(),
    choose: setId,
    map(name, to) {
      if (model === undefined) return;
      const next = new Map(mapping);
      if (to === undefined) next.delete(name);
      else next.set(name, to);
      setChanged(new Map(changed).set(model.id, next));
    },
    setThreshold,
    setConvertsMasks,
    setMaxDistance,
  };
}
