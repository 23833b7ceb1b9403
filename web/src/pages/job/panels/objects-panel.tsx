import { Text } from '@mantine/core';
import { memo, type ReactNode, useMemo } from 'react';
import type { ShownObject } from '../canvas/content';
import { activeKey, type Review, type Step } from '../data/review';
import type { Action } from '../data/actions';
import panel from './panel.module.css';
import type { Editor } from '../editing/editor';
import { ListOptions } from './list-options';
import { ObjectDetails } from './object-details';
import { ObjectList } from './object-list';
import { searchObjects } from '../scene/object-list';
import { completeConditions } from '../scene/object-filter';

interface ObjectsPanelProps {
  readonly review: Review;
  /** The objects of the frame that meet the filter, including hidden ones, in the order of the list. */
  readonly objects: readonly ShownObject[];
  /** Number of objects of the frame, with those that do not meet the filter. */
  readonly count: number;
  readonly isLoading: boolean;
  /** Undefined if the user cannot change annotations. */
  readonly editor: Editor | undefined;
  /** Of the editor, which changes in place. Another version renders the panel again. */
  readonly version: number | undefined;
  readonly onAction: (action: Action) => void;
  readonly onStep: (step: Step) => void;
  readonly onHover: (key: string | null) => void;
}

/** Lists the objects of the frame. Screen readers use this list instead of the canvas. */
export const ObjectsPanel = memo(function ObjectsPanel(props: ObjectsPanelProps): ReactNode {
  const { review, objects, count, isLoading, editor, onAction, onStep, onHover } = props;
  const { search } = review;
  const conditions = completeConditions(review.filter).length;
  const active = activeKey(review);
  const found = useMemo(() => {
    const wanted = new Set(
      searchObjects(
        objects.map(({ object }) => object),
        search,
      ),
    );
    return objects.filter(({ object }) => wanted.has(object));
  }, [objects, search]);
  const selectedObject = objects.find(({ object }) => object.key === active)?.object;
  return (
    <>
      <div className={panel['filter']}>
        <ListOptions search={search} conditions={conditions} onAction={onAction} onStep={onStep} />
        <Text size="xs" c="dimmed" role="status">
          {countText(found.length, count, isLoading)}
        </Text>
      </div>
      <ObjectList found={found} review={review} onStep={onStep} onHover={onHover} />
      {selectedObject !== undefined && (
        <ObjectDetails object={selectedObject} review={review} editor={editor} onAction={onAction} onStep={onStep} />
      )}
    </>
  );
});

function countText(found: number, all: number, isLoading: boolean): string {
  if (isLoading) return 'Loading annotations …';
  if (all === 0) return 'No annotations on this frame';
  const objects = all === 1 ? '1 object' : `${all} objects`;
  return found === all ? objects : `${found} of ${objects}`;
}
