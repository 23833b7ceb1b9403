import {
  ActionIcon,
  CloseButton,
  Indicator,
  NativeSelect,
  SegmentedControl,
  Slider,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { memo, type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { counted } from '../../../components/counted';
import { Icon } from '../../../components/icons';
import type { ShownObject } from '../canvas/content';
import { activeKey, type Review, type Step } from '../data/review';
import type { Action } from '../data/actions';
import classes from './objects-panel.module.css';
import panel from './panel.module.css';
import type { Editor } from '../editing/editor';
import { ObjectDetails } from './object-details';
import { numberOf, searchObjects } from '../scene/object-list';
import { completeConditions, type Sort } from '../scene/object-filter';
import type { ColorBy } from '../scene/scene';
import { changeSettings, useSettings } from '../settings/settings';
import { useTitleWithKeys } from '../settings/use-shortcuts';
import { useRowsInSight } from './use-rows-in-sight';

const ROW_HEIGHT = 36;
const SORTS = [
  { value: 'layer', label: 'By layer' },
  { value: 'id', label: 'By ID' },
  { value: 'time', label: 'By change' },
];
const COLORINGS = [
  { value: 'label', label: 'Label' },
  { value: 'object', label: 'Object' },
  { value: 'group', label: 'Group' },
];

interface ObjectsPanelProps {
  readonly review: Review;
  /** The objects of the frame that meet the filter, including hidden ones, in the order of the list. */
  readonly objects: readonly ShownObject[];
  /** Number of objects of the frame, with those that do not meet the filter. */
  readonly count: number;
  readonly isLoading: boolean;
  /** Undefined if the user cannot change annotations. */
  readonly editor: Editor | undefined;
  readonly onAction: (action: Action) => void;
  readonly onStep: (step: Step) => void;
  readonly onHover: (key: string | null) => void;
}

/** Lists the objects of the frame. Screen readers use this list instead of the canvas. */
export function ObjectsPanel(props: ObjectsPanelProps): ReactNode {
  const { review, objects, count, isLoading, editor, onAction, onStep, onHover } = props;
  const { search } = review;
  const { colorBy, fill, sort } = useSettings();
  const withKeys = useTitleWithKeys();
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
        <div className={classes['looks']}>
          <TextInput
            flex={1}
            size="xs"
            aria-label="Search objects"
            placeholder="Search: label, type, #id, attribute"
            value={search}
            onChange={(event) => onStep({ do: 'set', values: { search: event.currentTarget.value } })}
            rightSection={
              search === '' ? null : (
                <CloseButton
                  size="xs"
                  aria-label="Clear search"
                  onClick={() => onStep({ do: 'set', values: { search: '' } })}
                />
              )
            }
          />
          <Tooltip label={withKeys('Filter objects', 'filter-objects')} openDelay={400}>
            <Indicator label={conditions} size={16} disabled={conditions === 0}>
              <ActionIcon
                variant={conditions === 0 ? 'default' : 'filled'}
                size={30}
                aria-label={conditions === 0 ? 'Filter objects' : `Filter objects: ${counted(conditions, 'condition')}`}
                onClick={() => onAction('filter-objects')}
              >
                <Icon name="filter" size={16} />
              </ActionIcon>
            </Indicator>
          </Tooltip>
          <NativeSelect
            size="xs"
            w={96}
            aria-label="Sort objects by"
            data={SORTS}
            value={sort}
            onChange={(event) => changeSettings({ sort: event.currentTarget.value as Sort })}
          />
        </div>
        <div className={classes['looks']}>
          <SegmentedControl
            size="xs"
            aria-label="Colour by"
            transitionDuration={0}
            data={COLORINGS}
            value={colorBy}
            onChange={(value) => changeSettings({ colorBy: value as ColorBy })}
          />
          <Slider
            className={classes['fill']}
            size="sm"
            thumbLabel="Opacity"
            label={(value) => `Opacity ${value} %`}
            min={0}
            max={100}
            step={5}
            value={Math.round(fill * 100)}
            onChange={(value) => changeSettings({ fill: value / 100 })}
          />
        </div>
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
}

function countText(found: number, all: number, isLoading: boolean): string {
  if (isLoading) return 'Loading annotations …';
  if (all === 0) return 'No annotations on this frame';
  const objects = all === 1 ? '1 object' : `${all} objects`;
  return found === all ? objects : `${found} of ${objects}`;
}

interface ObjectListProps extends Pick<ObjectsPanelProps, 'review' | 'onStep' | 'onHover'> {
  readonly found: readonly ShownObject[];
}

/** Renders only visible rows, so that thousands of objects do not slow the page down. */
function ObjectList({ found, review, onStep, onHover }: ObjectListProps): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const { first, end } = useRowsInSight(scroller, found.length, ROW_HEIGHT);
  const { selected } = review;
  const active = activeKey(review);
  const index = found.findIndex(({ object }) => object.key === active);
  useEffect(() => {
    const element = scroller.current;
    if (index < 0 || element === null) return;
    const top = index * ROW_HEIGHT;
    if (top < element.scrollTop) element.scrollTop = top;
    else element.scrollTop = Math.max(element.scrollTop, top + ROW_HEIGHT - element.clientHeight);
  }, [index]);
  const range = useRef(index);
  useEffect(() => {
    if (index >= 0 && selected.length === 1) range.current = index;
  }, [index, selected]);
  const selectRange = useCallback(
    (to: number): void => {
      const from = range.current < 0 ? to : range.current;
      const keys = found.slice(Math.min(from, to), Math.max(from, to) + 1).map(({ object }) => object.key);
      onStep({ do: 'select-all', keys: from > to ? keys.reverse() : keys });
    },
    [found, onStep],
  );
  return (
    <div className={panel['scroll']} ref={scroller}>
      <ul className={classes['objects']} aria-label="Objects" style={{ height: found.length * ROW_HEIGHT }}>
        {found.slice(first, end).map((shown, at) => (
          <ObjectRow
            key={shown.object.key}
            shown={shown}
            index={first + at}
            count={found.length}
            isSelected={selected.includes(shown.object.key)}
            isAlone={selected.length === 1}
            onRange={selectRange}
            isHidden={review.areAllHidden || review.hidden.has(shown.object.key)}
            isLocked={review.locked.has(shown.object.key)}
            isPinned={review.pinned.has(shown.object.key)}
            isKeyframe={shown.object.keyframes.includes(review.frame)}
            onStep={onStep}
            onHover={onHover}
          />
        ))}
      </ul>
    </div>
  );
}

interface ObjectRowProps extends Pick<ObjectsPanelProps, 'onStep' | 'onHover'> {
  readonly shown: ShownObject;
  /** Index in the list. */
  readonly index: number;
  readonly count: number;
  readonly isSelected: boolean;
  /** Whether only one object is selected. */
  readonly isAlone: boolean;
  /** Selects the objects from the active one to this one. */
  readonly onRange: (to: number) => void;
  readonly isHidden: boolean;
  readonly isLocked: boolean;
  readonly isPinned: boolean;
  readonly isKeyframe: boolean;
}

const ObjectRow = memo(function ObjectRow(props: ObjectRowProps): ReactNode {
  const {
    shown,
    index,
    count,
    isSelected,
    isAlone,
    isHidden,
    isLocked,
    isPinned,
    isKeyframe,
    onRange,
    onStep,
    onHover,
  } = props;
  const { key, kind, type, id, labelName, occluded, outside } = shown.object;
  const what = kind === 'track' ? `${type} track` : type;
  const states = [
    ...(kind === 'track' && isKeyframe ? ['keyframe'] : []),
    ...(occluded ? ['occluded'] : []),
    ...(outside ? ['outside'] : []),
    ...(isLocked ? ['locked'] : []),
    ...(isPinned ? ['pinned'] : []),
    ...(shown.note === undefined ? [] : [shown.note]),
  ];
  return (
    <li
      className={classes['object']}
      style={{ transform: `translateY(${index * ROW_HEIGHT}px)` }}
      aria-posinset={index + 1}
      aria-setsize={count}
      data-selected={isSelected || undefined}
      data-dim={isHidden || outside || undefined}
      onMouseEnter={() => onHover(key)}
      onMouseLeave={() => onHover(null)}
    >
      <button
        type="button"
        className={classes['choose']}
        aria-pressed={isSelected}
        onClick={(event) => {
          if (event.shiftKey) onRange(index);
          else if (event.ctrlKey || event.metaKey) onStep({ do: 'toggle-selected', key });
          else onStep({ do: 'select', key: isSelected && isAlone ? null : key });
        }}
      >
        <span className={classes['swatch']} style={{ background: shown.color }} />
        <span className={classes['label']}>
          {labelName} <span className={classes['id']}>{numberOf(id)}</span>
        </span>
        <span className={classes['what']}>
          {what}
          {states.map((state) => (
            <span key={state} className={classes['state']}>
              {state}
            </span>
          ))}
        </span>
      </button>
      {kind !== 'tag' && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={26}
          aria-label={`Hide ${labelName} ${numberOf(id)}`}
          aria-pressed={isHidden}
          onClick={() => onStep({ do: 'mark', as: 'hidden', keys: [key] })}
        >
          <Icon name={isHidden ? 'eyeOff' : 'eye'} size={15} />
        </ActionIcon>
      )}
    </li>
  );
});
