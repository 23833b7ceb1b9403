import { ActionIcon } from '@mantine/core';
import { memo, type ReactNode, useCallback, useEffect, useRef } from 'react';
import { Icon } from '../../../components/icons';
import type { ShownObject } from '../canvas/content';
import { activeKey, type Review, type Step } from '../data/review';
import { numberOf } from '../scene/object-list';
import classes from './objects-panel.module.css';
import panel from './panel.module.css';
import { useRowsInSight } from './use-rows-in-sight';

const ROW_HEIGHT = 36;

interface ObjectListProps {
  readonly found: readonly ShownObject[];
  readonly review: Review;
  readonly onStep: (step: Step) => void;
  readonly onHover: (key: string | null) => void;
}

/** Renders only visible rows, so that thousands of objects do not slow the page down. */
export function ObjectList({ found, review, onStep, onHover }: ObjectListProps): ReactNode {
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

interface ObjectRowProps extends Pick<ObjectListProps, 'onStep' | 'onHover'> {
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
