import { Kbd, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Attribute } from '../../../app/api';
import { DIGITS } from '../data/actions';
import classes from './choices.module.css';

/** The values that an attribute can have; undefined if it is a number or a text. */
export function valuesOf({ input_type: type, values }: Attribute): readonly string[] | undefined {
  if (type === 'checkbox') return ['true', 'false'];
  return type === 'select' || type === 'radio' ? values : undefined;
}

interface AttributeValueProps {
  readonly attribute: Attribute;
  readonly value: string;
  readonly isLocked: boolean;
  readonly onChange: (value: string) => void;
  /** Called for keys that move on while the field has the focus. */
  readonly onKey: (action: 'next-attribute' | 'previous-attribute' | 'next-object' | 'previous-object') => void;
}

/** The value of an attribute: a button and a digit for each possible value, or a field. */
export function AttributeValue(props: AttributeValueProps): ReactNode {
  const { attribute, value, isLocked, onChange } = props;
  const values = valuesOf(attribute);
  if (values === undefined) return <ValueField {...props} />;
  return (
    <ul className={classes['choices']} aria-label={`Values of ${attribute.name}`}>
      {values.map((each, at) => (
        <li key={each}>
          <button
            type="button"
            className={classes['choice']}
            aria-pressed={each === value}
            disabled={isLocked}
            onClick={() => onChange(each)}
          >
            <span className={classes['name']}>{each}</span>
            {DIGITS[at] !== undefined && <Kbd size="xs">{DIGITS[at]}</Kbd>}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A number or a text. It has the focus, so that the user can type at once. */
function ValueField({ attribute, value, isLocked, onChange, onKey }: AttributeValueProps): ReactNode {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const isNumber = attribute.input_type === 'number';
  const commit = (): void => {
    const entered = isNumber ? numberWithin(attribute, text) : text;
    if (entered === undefined) return setText(value);
    setText(entered);
    if (entered !== value) onChange(entered);
  };
  const [min, max, step] = attribute.values;
  return (
    <TextInput
      ref={field}
      m={12}
      size="sm"
      label={attribute.name}
      {...(isNumber ? { description: `${min} to ${max} in steps of ${step}`, inputMode: 'decimal' as const } : {})}
      disabled={isLocked}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        const action = actionOf(event.key, event.shiftKey);
        if (action === undefined) return;
        event.preventDefault();
        commit();
        onKey(action);
      }}
    />
  );
}

function actionOf(key: string, shift: boolean): Parameters<AttributeValueProps['onKey']>[0] | undefined {
  if (key === 'ArrowDown' || key === 'Enter') return 'next-attribute';
  if (key === 'ArrowUp') return 'previous-attribute';
  if (key === 'Tab') return shift ? 'previous-object' : 'next-object';
  return undefined;
}

/** @returns the nearest allowed number, or undefined if the text is none */
function numberWithin({ values }: Attribute, text: string): string | undefined {
  const entered = Number(text.replace(',', '.'));
  if (text.trim() === '' || !Number.isFinite(entered)) return undefined;
  const [min = 0, max = Infinity, step = 1] = values.map(Number);
  const steps = Math.round((Math.min(Math.max(entered, min), max) - min) / step);
  return String(Number((min + steps * step).toFixed(6)));
}
