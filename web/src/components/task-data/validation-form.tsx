import { Input, SegmentedControl, Select, Stack, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { NumberField } from '../number-field';
import type { FrameSelection, ValidationMode, ValidationSettings } from './data-settings';
import classes from './task-data.module.css';

const MODES = [
  { value: 'none', label: 'None' },
  { value: 'gt', label: 'Ground truth: a separate job with reference annotations' },
  { value: 'gt_pool', label: 'Honeypots: ground truth frames, mixed into every job' },
];

const SELECTIONS: readonly { readonly value: FrameSelection; readonly label: string }[] = [
  { value: 'random_uniform', label: 'At random' },
  { value: 'random_per_job', label: 'At random, from each job' },
  { value: 'manual', label: 'One by one' },
];

interface ValidationFormProps {
  readonly validation: ValidationSettings;
  readonly onChange: (validation: ValidationSettings) => void;
}

/** Which frames of a new task get reference annotations. */
export function ValidationForm({ validation, onChange }: ValidationFormProps): ReactNode {
  const { mode, selection } = validation;
  const set = (part: Partial<ValidationSettings>): void => onChange({ ...validation, ...part });
  const changeMode = (next: ValidationMode): void =>
    set({ mode: next, selection: next === 'gt_pool' && selection === 'random_per_job' ? 'random_uniform' : selection });
  return (
    <Stack gap="sm">
      <Select
        label="Validation"
        description="Frames with reference annotations. Cairn does not compare other annotations with them yet."
        data={MODES}
        allowDeselect={false}
        value={mode}
        onChange={(value) => changeMode((value ?? 'none') as ValidationMode)}
      />
      {mode !== 'none' && (
        <FrameChoice validation={validation} onChange={onChange} withoutPerJob={mode === 'gt_pool'}>
          {selection === 'manual' && (
            <Textarea
              label="Names of the images"
              description="One a line, with their folder."
              required
              autosize
              minRows={3}
              maxRows={12}
              value={validation.names}
              onChange={(event) => set({ names: event.currentTarget.value })}
            />
          )}
        </FrameChoice>
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

interface FrameChoiceProps extends ValidationFormProps {
  readonly withoutPerJob?: boolean;
  readonly children?: ReactNode;
}

/** How many frames, and how they are chosen. */
export function FrameChoice(props: FrameChoiceProps): ReactNode {
  const { validation, onChange, withoutPerJob = false, children } = props;
  const { mode, selection, isShare, frames, perJob, seed } = validation;
  const set = (part: Partial<ValidationSettings>): void => onChange({ ...validation, ...part });
  const offered = SELECTIONS.filter(({ value }) => !(withoutPerJob && value === 'random_per_job'));
  return (
    <>
      <Select
        label="The frames are chosen"
        data={[...offered]}
        allowDeselect={false}
        value={selection}
        onChange={(value) => set({ selection: value ?? 'random_uniform' })}
      />
      {children}
      <div className={classes['grid']}>
        {(selection !== 'manual' || mode === 'gt_pool') && (
          <div>
            <Input.Label labelElement="div" id="counted-by">
              Counted in
            </Input.Label>
            <SegmentedControl
              aria-labelledby="counted-by"
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
            label="Of the task"
            validation={validation}
            value={frames}
            onChange={(next) => set({ frames: next })}
          />
        )}
        {selection === 'random_per_job' && (
          <Amount
            label="Of each job"
            validation={validation}
            value={perJob}
            onChange={(next) => set({ perJob: next })}
          />
        )}
        {selection !== 'manual' && (
          <NumberField
            label="Seed"
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
