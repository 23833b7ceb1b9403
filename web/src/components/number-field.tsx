import { TextInput, type TextInputProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface NumberFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type'> {
  /** Null if the field is empty. */
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
}

/** A number field that uses the browser's own input, with its keyboard, limits and number formats. */
export const NumberField = ({ value, onChange, ...rest }: NumberFieldProps): ReactNode => (
  <TextInput
    {...rest}
    type="number"
    value={value ?? ''}
    onChange={({ currentTarget: { value: text, valueAsNumber: number } }) =>
      onChange(text === '' || Number.isNaN(number) ? null : number)
    }
  />
);
