import { useMemo } from 'react';
import type { ShownObject } from './canvas/content';
import type { GroundTruth } from './data/ground-truth';
import { activeKey, type Review } from './data/review';
import type { Editor } from './editing/editor';
import { completeConditions, matchesFilter, sortedObjects } from './scene/object-filter';
import { selectedAmong } from './scene/object-list';
import { type ColorBy, type Colors, colorOf, type SceneObject } from './scene/scene';
import { useSettings } from './settings/settings';

const NO_OBJECTS: readonly ShownObject[] = [];
const never = (): number => 0;

interface FrameObjects {
  /** Lowest layer first. */
  readonly all: readonly ShownObject[];
  /** Those that meet the filter. */
  readonly objects: readonly ShownObject[];
  /** Those that meet the filter, in the order of the list. */
  readonly listed: readonly ShownObject[];
  readonly selected: readonly SceneObject[];
  readonly selectedKeys: readonly string[];
  /** The active one of the selected objects. */
  readonly active: SceneObject | undefined;
  /** Frames of the job with annotations. */
  readonly annotated: ReadonlySet<number>;
}

/** The objects of the frame on the canvas. */
export function useFrameObjects(
  editor: Editor | undefined,
  frame: number,
  review: Review,
  truth: GroundTruth,
): FrameObjects {
  const { colorBy, sort } = useSettings();
  const all = useObjects(editor, frame, { colorBy, colors: review.colors, truth });
  const objects = useFiltered(all, frame, review);
  const listed = useMemo(() => sortedObjects(objects, sort, editor?.changedAt ?? never), [objects, sort, editor]);
  const annotated = useAnnotatedFrames(editor);
  const selected = useMemo(() => selectedAmong(objects, review.selected), [objects, review.selected]);
  const selectedKeys = selected.map(({ key }) => key);
  const key = activeKey(review);
  return {
    all,
    objects,
    listed,
    selected,
    selectedKeys,
    active: selected.find((object) => object.key === key),
    annotated,
  };
}

/** All objects of a frame with their colours, lowest layer first. */
function useObjects(
  editor: Editor | undefined,
  frame: number,
  { colorBy, colors, truth }: { readonly colorBy: ColorBy; readonly colors: Colors; readonly truth: GroundTruth },
): readonly ShownObject[] {
  const version = editor?.version();
  const { at: truthAt } = truth;
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the document of the editor is modified in place
  const objects = useMemo(() => editor?.index.at(frame), [editor, version, frame]);
  return useMemo(
    () =>
      objects === undefined
        ? NO_OBJECTS
        : [...objects.map((object) => ({ object, color: colorOf(object, colorBy, colors) })), ...truthAt(frame)],
    [objects, colorBy, colors, truthAt, frame],
  );
}

/** The objects that meet the filter. */
function useFiltered(objects: readonly ShownObject[], frame: number, review: Review): readonly ShownObject[] {
  const { filter, hidden, locked, pinned } = review;
  return useMemo(() => {
    if (completeConditions(filter).length === 0) return objects;
    return objects.filter(({ object }) => matchesFilter(object, frame, filter, { hidden, locked, pinned }));
  }, [objects, frame, filter, hidden, locked, pinned]);
}

function useAnnotatedFrames(editor: Editor | undefined): ReadonlySet<number> {
  const version = editor?.version();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the document of the editor is modified in place
  return useMemo(() => editor?.index.annotatedFrames() ?? new Set<number>(), [editor, version]);
}
