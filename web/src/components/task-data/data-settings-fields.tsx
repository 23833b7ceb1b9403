import { Select, Slider, Stack, Switch, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { NumberField } from '../number-field';
import { type DataSettings, overlapProblem, sortingOf } from './data-settings';
import classes from './task-data.module.css';
import { ValidationForm } from './validation-form';

const SORTINGS = [
  { value: 'natural', label: 'Natural: by name, 2 before 10' },
  { value: 'lexicographical', label: 'Lexicographical: by name, 10 before 2' },
  { value: 'predefined', label: 'Predefined: as listed' },
  { value: 'random', label: 'Random' },
];

interface DataSettingsProps {
  readonly settings: DataSettings;
  readonly onChange: (settings: DataSettings) => void;
  /** Omits settings of the task itself, for a task that exists already. */
  readonly dataOnly?: boolean;
  /** Error messages by the API's field names. */
  readonly fields?: Readonly<Record<string, string>>;
}

type NumberName = {
  [Name in keyof DataSettings]: DataSettings[Name] extends number | null ? Name : never;
}[keyof DataSettings];

/** Settings for creating a task from its files. */
export function DataSettingsFields(props: DataSettingsProps): ReactNode {
  const { settings, onChange, dataOnly = false, fields = {} } = props;
  const set = (part: Partial<DataSettings>): void => onChange({ ...settings, ...part });
  const problems: Partial<Record<NumberName, string | undefined>> = { overlap: overlapProblem(settings) };
  const number = (name: NumberName, wire: string, label: string, description: string, min: number): ReactNode => (
    <NumberField
      label={label}
      description={description}
      min={min}
      placeholder="Automatic"
      value={settings[name]}
      error={problems[name] ?? fields[wire]}
      onChange={(value) => set({ [name]: value })}
    />
  );
  return (
    <Stack>
      <div>
        <Text size="sm" fw={500} id="quality-label">
          Image quality: {settings.imageQuality} %
        </Text>
        <Text size="xs" c="dimmed" mb={6}>
          Quality of the compressed images that annotators see. The original images are kept.
        </Text>
        <Slider
          min={1}
          max={100}
          value={settings.imageQuality}
          onChange={(value) => set({ imageQuality: value })}
          thumbProps={{ 'aria-labelledby': 'quality-label' }}
        />
      </div>
      <div className={classes['grid']}>
        {!dataOnly && number('segmentSize', 'segment_size', 'Frames per job', 'If empty, one job has all frames.', 1)}
        {!dataOnly &&
          number('overlap', 'overlap', 'Overlap', 'Frames shared by adjacent jobs, up to half of a job.', 0)}
        {number('startFrame', 'start_frame', 'First frame', 'Numbered from 0.', 0)}
        {number('stopFrame', 'stop_frame', 'Last frame', 'Inclusive.', 0)}
        {number('frameStep', 'frame_filter', 'Frame step', 'Use every Nth frame.', 1)}
        {number('chunkSize', 'chunk_size', 'Frames per chunk', 'Loaded together.', 1)}
        {!dataOnly && <Replicas {...props} />}
      </div>
      <Select
        label="Sorting"
        description={settings.validation.mode === 'gt_pool' ? 'Honeypots require random sorting.' : undefined}
        data={SORTINGS}
        allowDeselect={false}
        disabled={settings.validation.mode === 'gt_pool'}
        value={sortingOf(settings)}
        onChange={(value) => set({ sorting: (value ?? 'natural') as DataSettings['sorting'] })}
      />
      <ValidationForm validation={settings.validation} onChange={(validation) => set({ validation })} />
      <Switch
        label="Create chunks on demand"
        description="The task is ready sooner and uses less disk space."
        checked={settings.useCache}
        onChange={(event) => set({ useCache: event.currentTarget.checked })}
      />
      <Switch
        label="Store video chunks as images"
        description="Frames are available individually, but chunks are larger."
        checked={settings.useZipChunks}
        onChange={(event) => set({ useZipChunks: event.currentTarget.checked })}
      />
    </Stack>
  );
}

/** The API requires at least two replicas. */
function Replicas({ settings, onChange, fields = {} }: DataSettingsProps): ReactNode {
  const { consensusReplicas } = settings;
  return (
    <NumberField
      label="Consensus replicas"
      description="Copies of each job that are annotated independently, to be merged later."
      min={2}
      max={11}
      placeholder="None"
      value={consensusReplicas}
      error={fields['consensus_replicas'] ?? (consensusReplicas === 1 ? 'Use at least 2, or leave empty.' : undefined)}
      onChange={(value) => onChange({ ...settings, consensusReplicas: value })}
    />
  );
}
