import { Button, Group, Modal, NativeSelect, Progress, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Job } from '../../../app/api';
import { counted } from '../../../components/counted';
import { ErrorPanel } from '../../../components/error-panel';
import { showNotice } from '../../../components/notify';
import { NumberField } from '../../../components/number-field';
import { submitting } from '../../../components/submitting';
import type { Model } from '../../../components/models/model';
import { callModel } from '../../../components/models/model-requests';
import type { Editor } from '../editing/editor';
import type { FrameSet } from '../frames/frame-set';
import { trackObjects } from './track-objects';
import { isTrackable, storeTracked } from './tracked-object';

interface TrackDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly job: Job;
  readonly frames: FrameSet;
  /** The frame to start on. */
  readonly frame: number;
  readonly trackers: readonly Model[];
  readonly editor: Editor | undefined;
  /** Keys of the objects to follow. */
  readonly keys: readonly string[];
  /** Receives the keys of the tracks, and the last frame on which an object was found. */
  readonly onTracked: (keys: readonly string[], last: number) => void;
}

const DEFAULT_COUNT = 20;

/** Follows the selected objects on the next frames with a tracker. */
export function TrackDialog(props: TrackDialogProps): ReactNode {
  const { opened, onClose, frames, frame, trackers, editor, keys } = props;
  const [id, setId] = useState<string>();
  const [count, setCount] = useState<number | null>(DEFAULT_COUNT);
  const tracker = trackers.find((one) => one.id === id) ?? trackers[0];
  const types = tracker?.supported_shape_types ?? [];
  const objects = keys.flatMap((key) => {
    const shape = editor?.shapeAt(key, frame);
    return shape !== undefined && !shape.outside && isTrackable(shape, types) ? [{ key, shape }] : [];
  });
  const following = frames.stops.filter((stop) => stop > frame && !frames.isDeleted(stop));
  const targets = following.slice(0, count ?? 0);
  const run = useTracking(props);
  const close = (): void => {
    run.stop();
    if (!run.isRunning) onClose();
  };
  const start = (): void => {
    if (tracker !== undefined) void run.start(tracker, objects, targets);
  };
  return (
    <Modal opened={opened} onClose={close} title="Track objects" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={submitting({ mutate: start })}>
        <Stack>
          <NativeSelect
            label="Function"
            disabled={run.isRunning}
            data={trackers.map((one) => ({ value: one.id, label: one.name }))}
            value={tracker?.id ?? ''}
            onChange={({ currentTarget }) => setId(currentTarget.value)}
          />
          <NumberField
            label="Number of frames"
            disabled={run.isRunning}
            required
            min={1}
            value={count}
            onChange={setCount}
            data-autofocus
          />
          <Text size="sm" c="dimmed" role="status">
            {run.isRunning
              ? `${run.done} of ${counted(run.total, 'frame')} tracked.`
              : summaryOf({ selected: keys.length, objects: objects.length, frames: following.length, types })}
          </Text>
          {run.isRunning && (
            <Progress animated value={(100 * run.done) / Math.max(1, run.total)} aria-label="Progress of tracking" />
          )}
          {run.error !== null && <ErrorPanel error={run.error} />}
          <Group justify="flex-end">
            {run.isRunning ? (
              <Button variant="default" onClick={run.stop}>
                Stop
              </Button>
            ) : (
              <>
                <Button variant="default" onClick={onClose}>
                  Cancel
                </Button>
                <Button type="submit" disabled={objects.length === 0 || targets.length === 0}>
                  Track
                </Button>
              </>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface Counts {
  readonly selected: number;
  readonly objects: number;
  readonly frames: number;
  readonly types: readonly string[];
}

function summaryOf({ selected, objects, frames, types }: Counts): string {
  if (frames === 0) return 'There are no following frames.';
  const supported = `This function can track objects of these types: ${types.join(', ')}.`;
  if (objects === 0) return supported;
  const some =
    objects < selected ? `${objects} of ${counted(selected, 'selected object')}` : counted(objects, 'object');
  const what = `${some} will be tracked from this frame on. Existing keyframes on these frames are replaced.`;
  return objects < selected ? `${what} ${supported}` : what;
}

interface Started {
  readonly key: string;
  readonly shape: { readonly type: string; readonly points: readonly number[] };
}

/** Runs a tracker. What it has found is stored at the end, also if it fails on the way or the user stops it. */
function useTracking({ job, frame, editor, onTracked, onClose }: TrackDialogProps) {
  const [progress, setProgress] = useState<{ readonly done: number; readonly total: number }>();
  const [error, setError] = useState<unknown>(null);
  const stopping = useRef<AbortController>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);
  const start = async (tracker: Model, objects: readonly Started[], frames: readonly number[]): Promise<void> => {
    const controller = new AbortController();
    stopping.current = controller;
    const show = (done: number): void => setProgress({ done, total: frames.length });
    setError(null);
    show(0);
    const { steps, error: problem } = await trackObjects({
      ask: (body) => callModel(tracker, { ...body, task: job.task_id, job: job.id }, controller.signal),
      outlines: objects.map(({ shape: { type, points } }) => ({ type, points })),
      frame,
      frames,
      signal: controller.signal,
      onProgress: show,
    });
    setProgress(undefined);
    setError(problem);
    if (editor === undefined) return;
    const keys = storeTracked(
      editor,
      objects.map(({ key }, at) => ({ key, steps: steps[at] ?? [] })),
    );
    const last = Math.max(frame, ...steps.flatMap((own) => own.map((step) => step.frame)));
    if (keys.length > 0) onTracked(keys, last);
    if (problem !== null) return;
    if (keys.length > 0) showNotice('tracked', `${counted(keys.length, 'object')} tracked up to frame ${last}.`);
    onClose();
  };
  return {
    isRunning: progress !== undefined,
    done: progress?.done ?? 0,
    total: progress?.total ?? 0,
    error,
    start,
    stop: () => stopping.current?.abort(),
  };
}
