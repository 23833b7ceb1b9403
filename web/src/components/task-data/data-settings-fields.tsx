import { Select, Slider, Stack, Switch, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { NumberField } from '../number-field';
import { type DataSettings, overlapProblem, sortingOf } from './data-settings';
import classes from './task-data.module.css';
import { ValidationForm } from './validation-form';

const SORTINGS = [
  { value: 'natural', label: 'By name, numbers by value (2 before 10)' },
  { value: 'lexicographical', label: 'By name, letter by letter' },
  { value: 'predefined', label: 'As they are listed' },
  { value: 'random', label: 'Shuffled' },
];

interface DataSettingsProps {
  readonly settings: DataSettings;
  readonly onChange: (settings: DataSettings) => void;
  /** Without those that belong to the task, which is there already. */
  readonly dataOnly?: boolean;
  /** What the server says of single fields, by their names on the wire. */
  readonly fields?: Readonly<Record<string, string>>;
}

type NumberName = {
  [Name in keyof DataSettings]: DataSettings[Name] extends number | null ? Name : never;
}[keyof DataSettings];

/** What a task is made of its files by, beside the files. */
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
          Of the compressed images that annotators see; the originals stay as they are.
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
        {!dataOnly && number('segmentSize', 'segment_size', 'Frames in a job', 'Empty: one job for all.', 1)}
        {!dataOnly &&
          number('overlap', 'overlap', 'Overlap', 'Frames shared by adjacent jobs, up to half of a job.', 0)}
        {number('startFrame', 'start_frame', 'First frame', 'Counted from 0.', 0)}
        {number('stopFrame', 'stop_frame', 'Last frame', 'Included.', 0)}
        {number('frameStep', 'frame_filter', 'Frame filter', 'Every so-many-th frame.', 1)}
        {number('chunkSize', 'chunk_size', 'Frames in a chunk', 'That are loaded at a time.', 1)}
        {!dataOnly && <Replicas {...props} />}
      </div>
      <Select
        label="Order of the frames"
        description={settings.validation.mode === 'gt_pool' ? 'Honeypots need shuffled frames.' : undefined}
        data={SORTINGS}
        allowDeselect={false}
        disabled={settings.validation.mode === 'gt_pool'}
        value={sortingOf(settings)}
        onChange={(value) => set({ sorting: (value ?? 'natural') as DataSettings['sorting'] })}
      />
      <ValidationForm validation={settings.validation} onChange={(validation) => set({ validation })} />
      <Switch
        label="Make chunks when they are asked for"
        description="The task is ready sooner, and takes less room."
        checked={settings.useCache}
        onChange={(event) => set({ useCache: event.currentTarget.checked })}
      />
      <Switch
        label="Chunks of videos as images"
        description="Each frame at once, without a player of videos; they are larger."
        checked={settings.useZipChunks}
        onChange={(event) => set({ useZipChunks: event.currentTarget.checked })}
      />
    </Stack>
  );
}

/** One replica is none: a replicated job has at least two. */
function Replicas({ settings, onChange, fields = {} }: DataSettingsProps): ReactNode {
  const { consensusReplicas } = settings;
  return (
    <NumberField
      label="Consensus replicas"
      description="Copies of each job, to be annotated independently. Cairn does not compare or merge them yet."
      min={2}
      max={11}
      placeholder="None"
      value={consensusReplicas}
      error={fields['consensus_replicas'] ?? (consensusReplicas === 1 ? 'None, or at least two.' : undefined)}
      onChange={(value) => onChange({ ...settings, consensusReplicas: value })}
    />
  );
}
