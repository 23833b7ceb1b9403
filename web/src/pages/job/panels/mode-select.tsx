import { Select, Text } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { type Mode, MODES, needsEditing } from '../data/modes';
import panel from './panel.module.css';

interface ModeSelectProps {
  readonly mode: Mode;
  /** Modes that change annotations need the permission to. */
  readonly mayEdit: boolean;
  readonly onChange: (mode: Mode) => void;
}

export const ModeSelect = memo(({ mode, mayEdit, onChange }: ModeSelectProps): ReactNode => (
  <div className={panel['mode']}>
    <Select
      size="xs"
      aria-label="Mode"
      leftSectionWidth={56}
      leftSection={<Text size="xs">Mode</Text>}
      allowDeselect={false}
      data={MODES.filter(({ value }) => mayEdit || !needsEditing(value))}
      value={mode}
      onChange={(value) => (value === null ? undefined : onChange(value))}
    />
  </div>
));
