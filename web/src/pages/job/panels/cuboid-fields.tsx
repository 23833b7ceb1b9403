import { NumberInput, Text } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useEffect, useState } from 'react';
import { isAngle, MIN_SIZE, rounded, storedPoints } from '../point-cloud/cuboid-numbers';
import type { SceneObject } from '../scene/scene';
import classes from './object-details.module.css';

interface CuboidFieldsProps {
  readonly object: SceneObject;
  readonly isLocked: boolean;
  readonly isPinned: boolean;
  readonly onChange: (title: string, points: number[]) => void;
}

const DEGREES = 180 / Math.PI;
/** The numbers of a cuboid in the order in which they are stored. */
const ROWS = [
  {
    title: 'Position, m',
    change: 'Move cuboid',
    letters: 'XYZ',
    names: ['Position X', 'Position Y', 'Position Z'],
    limit: (value: number): number => value,
  },
  {
    title: 'Rotation, °',
    change: 'Rotate cuboid',
    letters: 'XYZ',
    names: ['Rotation X', 'Rotation Y', 'Rotation Z'],
    limit: (value: number): number => value - 360 * Math.round(value / 360),
  },
  {
    title: 'Size, m',
    change: 'Resize cuboid',
    letters: 'LWH',
    names: ['Length', 'Width', 'Height'],
    limit: (value: number): number => Math.max(MIN_SIZE, value),
  },
];

/** Position, rotation and size of a cuboid in a point cloud, as numbers. */
export function CuboidFields({ object, isLocked, isPinned, onChange }: CuboidFieldsProps): ReactNode {
  const values = object.points.slice(0, 9);
  return (
    <div>
      {ROWS.map(({ title, change, letters, names, limit }, row) => (
        <div key={title} className={classes['numbers']} role="group" aria-label={title}>
          <Text size="xs" aria-hidden>
            {title}
          </Text>
          {names.map((name, column) => {
            const at = row * 3 + column;
            const value = values[at] ?? 0;
            return (
              <NumberField
                key={`${object.key} ${name}`}
                name={name}
                letter={letters[column] ?? ''}
                value={isAngle(at) ? rounded(value * DEGREES, 2) : rounded(value, 3)}
                step={isAngle(at) ? 1 : 0.1}
                limit={limit}
                isDisabled={isLocked || (isPinned && row === 0)}
                onChange={(entered) =>
                  onChange(change, storedPoints(values.with(at, isAngle(at) ? entered / DEGREES : entered)))
                }
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

interface NumberFieldProps {
  readonly name: string;
  readonly letter: string;
  readonly value: number;
  readonly step: number;
  /** Changes an entered number to one that is possible. */
  readonly limit: (value: number) => number;
  readonly isDisabled: boolean;
  readonly onChange: (value: number) => void;
}

const DIRECTIONS: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowDown: -1 };

/** A number that changes when the field loses the focus, with Enter, and with ↑ and ↓. */
function NumberField({ name, letter, value, step, limit, isDisabled, onChange }: NumberFieldProps): ReactNode {
  const [text, setText] = useState<string | number>(value);
  useEffect(() => setText(value), [value]);
  const enter = (entered: string | number): void => {
    const number = entered === '' ? NaN : limit(Number(entered));
    setText(Number.isFinite(number) ? number : value);
    if (Number.isFinite(number) && number !== value) onChange(number);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const direction = DIRECTIONS[event.key];
    if (direction !== undefined) {
      event.preventDefault();
      enter(rounded(Number(text) + direction * step * (event.shiftKey ? 10 : 1), 3));
    }
    if (event.key === 'Escape') setText(value);
  };
  return (
    <NumberInput
      size="xs"
      aria-label={name}
      leftSection={letter}
      leftSectionWidth={20}
      hideControls
      withKeyboardEvents={false}
      clampBehavior="none"
      decimalScale={3}
      disabled={isDisabled}
      value={text}
      onChange={setText}
      onBlur={() => enter(text)}
      onKeyDown={onKeyDown}
    />
  );
}
