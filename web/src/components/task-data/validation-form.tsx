import { Input, SegmentedControl, Select, Stack, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { NumberField } from '../number-field';
import type { FrameSelection, ValidationMode, ValidationSettings } from './data-settings';
import classes from './task-data.module.css';

const MODES = [
  { value: 'none', label: 'None' },
  { value: 'gt', label: 'Ground truth: a separate job with reference annotations' },
  { value: 'gt_pool', label: 'Honeypots: ground truth frames mixed into every job' },
];

const SELECTIONS: readonly { readonly value: FrameSelection; readonly label: string }[] = [
  { value: 'random_uniform', label: 'Random' },
  { value: 'random_per_job', label: 'Random in each job' },
  { value: 'manual', label: 'Manual' },
];

interface ValidationFormProps {
  readonly validation: ValidationSettings;
  readonly onChange: (validation: ValidationSettings) => void;
}

/** Selects the frames of a new task for reference annotations. */
export function ValidationForm({ validation, onChange }: ValidationFormProps): ReactNode {
  const { mode, selection } = validation;
  const set = (part: Partial<ValidationSettings>): void => onChange({ ...validation, ...part });
  const changeMode = (next: ValidationMode): void =>
    set({ mode: next, selection: next === 'gt_pool' && selection === 'random_per_job' ? 'random_uniform' : selection });
  return (
    <Stack gap="sm">
      <Select
        label="Validation"
        description="Frames with reference annotations, with which quality reports compare the others."
        data={MODES}
        allowDeselect={false}
        value={mode}
        onChange={(value) => changeMode((value ?? 'none') as ValidationMode)}
      />
      {mode !== 'none' && (
        <FrameSelectionFields validation={validation} onChange={onChange} withoutPerJob={mode === 'gt_pool'}>
          {selection === 'manual' && (
            <Textarea
              label="Image names"
              description="One per line, including folders."
              required
              autosize
              minRows={3}
              maxRows={12}
              value={validation.names}
              onChange={(event) => set({ names: event.currentTarget.value })}
            />
          )}
        </FrameSelectionFields>
      )}
      {mode === 'gt_pool' && (
        <Amount
          label="Honeypots in each job"
          validation={validation}
          value={validation.perJob}
          onChange={(perJob) => set({ perJob })}
        />
      )}
    </Stack>
  );
}

interface FrameSelectionFieldsProps extends ValidationFormProps {
  readonly withoutPerJob?: boolean;
  readonly children?: ReactNode;
}

/** The number of frames, and how they are selected. */
export function FrameSelectionFields(props: FrameSelectionFieldsProps): ReactNode {
  const { validation, onChange, withoutPerJob = false, children } = props;
  const { mode, selection, isShare, frames, perJob, seed } = validation;
  const set = (part: Partial<ValidationSettings>): void => onChange({ ...validation, ...part });
  const offered = SELECTIONS.filter(({ value }) => !(withoutPerJob && value === 'random_per_job'));
  return (
    <>
      <Select
        label="Frame selection"
        data={[...offered]}
        allowDeselect={false}
        value={selection}
        onChange={(value) => set({ selection: value ?? 'random_uniform' })}
      />
      {children}
      <div className={classes['grid']}>
        {(selection !== 'manual' || mode === 'gt_pool') && (
          <div>
            <Input.Label labelElement="div" id="frame-unit">
              Unit
            </Input.Label>
            <SegmentedControl
              aria-labelledby="frame-unit"
              transitionDuration={0}
              data={[
                { value: 'share', label: 'percent' },
                { value: 'count', label: 'frames' },
              ]}
              value={isShare ? 'share' : 'count'}
              onChange={(value) => set({ isShare: value === 'share' })}
            />
          </div>
        )}
        {selection === 'random_uniform' && (
          <Amount
            label="Frames of the task"
            validation={validation}
            value={frames}
            onChange={(next) => set({ frames: next })}
          />
        )}
        {selection === 'random_per_job' && (
          <Amount
            label="Frames of each job"
            validation={validation}
            value={perJob}
            onChange={(next) => set({ perJob: next })}
          />
        )}
        {selection !== 'manual' && (
          <NumberField
            label="Random seed"
            placeholder="Automatic"
            min={0}
            value={seed}
            onChange={(value) => set({ seed: value })}
          />
        )}
      </div>
    </>
  );
}

interface AmountProps {
  readonly label: string;
  readonly validation: ValidationSettings;
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
}

const Amount = ({ label, validation, value, onChange }: AmountProps): ReactNode => (
  <NumberField
    label={label}
    required
    min={1}
    {...(validation.isShare ? { max: 100, rightSection: '%' } : {})}
    value={value}
    onChange={onChange}
  />
);
