import { Group, SegmentedControl, Slider, Text } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './settings-dialog.module.css';

interface RangeProps {
  readonly label: string;
  readonly unit?: string;
  readonly min?: number;
  readonly max: number;
  readonly step?: number;
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** A slider with its title and value. */
export function Range({ label, unit, min = 0, max, step = 1, value, onChange }: RangeProps): ReactNode {
  return (
    <div>
      <Group justify="space-between">
        <Text size="sm">{label}</Text>
        <Text size="sm" c="dimmed">
          {value}
          {unit !== undefined && ` ${unit}`}
        </Text>
      </Group>
      <Slider thumbLabel={label} label={null} min={min} max={max} step={step} value={value} onChange={onChange} />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly data: { readonly value: string; readonly label: string }[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Some options of which one is selected, with its title. */
export function Choice({ label, data, value, onChange }: ChoiceProps): ReactNode {
  const id = useId();
  return (
    <div className={classes['choice']}>
      <Text size="sm" id={id}>
        {label}
      </Text>
      <SegmentedControl
        aria-labelledby={id}
        fullWidth
        transitionDuration={0}
        data={data}
        value={value}
        onChange={onChange}
      />
    </div>
  );
}
