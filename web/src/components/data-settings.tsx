import { Accordion, NumberInput, Select, Slider, Stack, Switch, Text } from '@mantine/core';
import type { DataParameters } from 'cairn-client';
import type { ReactNode } from 'react';
import classes from './data-settings.module.css';

/** How a task is cut into jobs, and how its images are kept. Empty numbers leave the choice to the server. */
export interface DataSettings {
  readonly imageQuality: number;
  readonly segmentSize: number | null;
  readonly overlap: number | null;
  readonly chunkSize: number | null;
  readonly startFrame: number | null;
  readonly stopFrame: number | null;
  readonly frameStep: number | null;
  readonly sorting: string;
  readonly useCache: boolean;
}

export const DEFAULT_SETTINGS: DataSettings = {
  imageQuality: 70,
  segmentSize: null,
  overlap: null,
  chunkSize: null,
  startFrame: null,
  stopFrame: null,
  frameStep: null,
  sorting: 'natural',
  useCache: false,
};

/** Settings in the names of the wire, for the sending of the files. */
export function toDataParameters(settings: DataSettings): DataParameters {
  const { imageQuality, chunkSize, startFrame, stopFrame, frameStep, sorting, useCache } = settings;
  return {
    image_quality: imageQuality,
    sorting_method: sorting as NonNullable<DataParameters['sorting_method']>,
    use_cache: useCache,
    ...(chunkSize === null ? {} : { chunk_size: chunkSize }),
    ...(startFrame === null ? {} : { start_frame: startFrame }),
    ...(stopFrame === null ? {} : { stop_frame: stopFrame }),
    ...(frameStep === null ? {} : { frame_filter: `step=${frameStep}` }),
  };
}

const SORTINGS = [
  { value: 'natural', label: 'By name, numbers by value (2 before 10)' },
  { value: 'lexicographical', label: 'By name, letter by letter' },
  { value: 'predefined', label: 'As they are listed' },
  { value: 'random', label: 'Shuffled' },
];

interface DataSettingsFormProps {
  readonly settings: DataSettings;
  readonly onChange: (settings: DataSettings) => void;
  /** Without those that belong to the task, which is there already. */
  readonly dataOnly?: boolean;
}

export function DataSettingsForm({ settings, onChange, dataOnly = false }: DataSettingsFormProps): ReactNode {
  const set = (part: Partial<DataSettings>): void => onChange({ ...settings, ...part });
  const number = (name: keyof DataSettings, label: string, description: string, min: number): ReactNode => (
    <NumberInput
      label={label}
      description={description}
      min={min}
      allowDecimal={false}
      allowNegative={false}
      placeholder="Automatic"
      value={(settings[name] as number | null) ?? ''}
      onChange={(value) => set({ [name]: value === '' ? null : Number(value) })}
    />
  );
  return (
    <Accordion variant="contained" keepMounted={false}>
      <Accordion.Item value="advanced">
        <Accordion.Control>Advanced settings</Accordion.Control>
        <Accordion.Panel>
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
              {!dataOnly && number('segmentSize', 'Frames in a job', 'Empty: one job for all.', 1)}
              {!dataOnly && number('overlap', 'Overlap', 'Frames that neighbouring jobs share.', 0)}
              {number('startFrame', 'First frame', 'Counted from 0.', 0)}
              {number('stopFrame', 'Last frame', 'Included.', 0)}
              {number('frameStep', 'Frame filter', 'Every so-many-th frame.', 1)}
              {number('chunkSize', 'Frames in a chunk', 'That are loaded at a time.', 1)}
            </div>
            <Select
              label="Order of the frames"
              data={SORTINGS}
              allowDeselect={false}
              value={settings.sorting}
              onChange={(value) => set({ sorting: value ?? 'natural' })}
            />
            <Switch
              label="Make chunks when they are asked for"
              description="The task is ready sooner, and takes less room."
              checked={settings.useCache}
              onChange={(event) => set({ useCache: event.currentTarget.checked })}
            />
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
