import { Alert, Checkbox, SegmentedControl, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ANYWHERE, readAll } from '../../app/api';
import { FormDialog } from '../form-dialog';
import { showSuccess } from '../notify';
import { DetectorFields } from './detector-fields';
import { lacksAgent } from './model';
import { callModel, type RunTarget, startRun } from './model-requests';
import { modelsQuery } from './models-query';
import { runKey } from './run-progress';
import { type Detector, useDetector } from './use-detector';

interface AnnotateDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly target: RunTarget;
  /** The frame that is annotated instead, if the user wants; undefined: there is none. */
  readonly frame?: FrameTarget;
  /** Runs before the whole task or job is annotated. */
  readonly beforeRun?: () => Promise<unknown>;
}

/** A frame that is open in the editor. */
interface FrameTarget {
  readonly number: number;
  /** Receives the annotations that a detector has found. @returns how many there are */
  readonly onFound: (found: unknown) => Promise<number>;
}

/** Annotates a frame, a job or a task with a detector. */
export function AnnotateDialog({ opened, onClose, target, frame, beforeRun }: AnnotateDialogProps): ReactNode {
  // Agents come and go.
  const models = useQuery({ ...modelsQuery, enabled: opened, staleTime: 0, refetchInterval: AGENTS_MS });
  const { data: labels = NO_LABELS } = useQuery({
    queryKey: ['labels', 'of', target],
    queryFn: () => readAll('/api/labels', { query: labelsOf(target), headers: ANYWHERE }),
    enabled: opened,
  });
  const [isWhole, setWhole] = useState(frame === undefined);
  const detector = useDetector(models.data ?? NO_MODELS, labels, isWhole ? FOR_MANY_FRAMES : FOR_ONE_FRAME);
  const isReid = detector.model?.kind === 'reid';
  const [deletes, setDeletes] = useState(false);
  const what = target.jobId === undefined ? 'task' : 'job';
  const run = useRun({ target, detector, deletes, beforeRun, onClose });
  const detect = useDetection({ target, detector, frame, onClose });
  const mutation = isWhole ? run : detect;
  const close = (): void => {
    detect.cancel();
    run.reset();
    onClose();
  };
  return (
    <FormDialog
      opened={opened}
      onClose={close}
      title={frame === undefined ? 'Annotate automatically' : 'Detect objects'}
      action={isWhole ? `Annotate ${what}` : 'Detect'}
      mutation={mutation}
      disabled={detector.options === undefined}
    >
      {frame !== undefined && (
        <SegmentedControl
          aria-label="Frames"
          transitionDuration={0}
          data={[
            { value: 'frame', label: 'This frame' },
            { value: 'job', label: 'All frames of the job' },
          ]}
          value={isWhole ? 'job' : 'frame'}
          onChange={(value) => setWhole(value === 'job')}
        />
      )}
      <DetectorFields detector={detector} />
      {isWhole && (
        <>
          {isReid ? (
            <Alert color="yellow" variant="light">
              Rectangles that belong together become tracks. All annotations of the {what} are stored anew.
            </Alert>
          ) : (
            <Checkbox
              label={`Delete existing annotations of the ${what} first`}
              checked={deletes}
              onChange={({ currentTarget }) => setDeletes(currentTarget.checked)}
            />
          )}
          {deletes && !isReid && (
            <Alert color="red" variant="light">
              All annotations of the {what} will be deleted, also those that people created.
            </Alert>
          )}
          {detector.model !== undefined && lacksAgent(detector.model) && (
            <Alert color="yellow" variant="light">
              No agent is connected. The request waits until somebody starts an agent for this function.
            </Alert>
          )}
          <Text size="sm" c="dimmed">
            The {what} is annotated in the background. You can leave this page.
          </Text>
        </>
      )}
    </FormDialog>
  );
}

const AGENTS_MS = 5_000;
const FOR_ONE_FRAME = ['detector'] as const;
const FOR_MANY_FRAMES = ['detector', 'reid'] as const;
const NO_MODELS = [] as const;
const NO_LABELS = [] as const;

const labelsOf = ({ taskId, jobId }: RunTarget) => (jobId === undefined ? { task_id: taskId } : { job_id: jobId });

interface Run {
  readonly target: RunTarget;
  readonly detector: Detector;
  readonly deletes: boolean;
  readonly beforeRun: (() => Promise<unknown>) | undefined;
  readonly onClose: () => void;
}

function useRun({ target, detector, deletes, beforeRun, onClose }: Run) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      await beforeRun?.();
      if (detector.options === undefined) return;
      const isReid = detector.model?.kind === 'reid';
      const run = await startRun(target, { ...detector.options, cleanup: deletes && !isReid });
      client.setQueryData(runKey(target.taskId), run);
    },
    onSuccess: onClose,
  });
}

interface Detection {
  readonly target: RunTarget;
  readonly detector: Detector;
  readonly frame: FrameTarget | undefined;
  readonly onClose: () => void;
}

/** Calls the detector for one frame. Nothing is stored: what it finds is added to the editor. */
function useDetection({ target: { taskId, jobId }, detector, frame, onClose }: Detection) {
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const mutation = useMutation({
    mutationFn: async () => {
      const { model, options } = detector;
      if (model === undefined || options === undefined || frame === undefined) return 0;
      const controller = new AbortController();
      running.current = controller;
      const body = { type: 'annotate_frame', frame: frame.number, task: taskId, job: jobId, ...options };
      const found = await callModel(model, body, controller.signal);
      return controller.signal.aborted ? undefined : await frame.onFound(found);
    },
    onSuccess: (count) => {
      if (count === undefined) return;
      showSuccess(count === 0 ? 'No objects found.' : `${count} ${count === 1 ? 'object' : 'objects'} found.`);
      onClose();
    },
  });
  const cancel = (): void => {
    running.current?.abort();
    mutation.reset();
  };
  return { ...mutation, cancel };
}
