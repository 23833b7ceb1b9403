import { type Dispatch, lazy, type ReactNode, Suspense } from 'react';
import type { Job } from '../../../app/api';
import { lazyDialog } from '../../../components/lazy-dialog';
import type { Action } from '../data/actions';
import type { Step } from '../data/review';
import type { Editor } from '../editing/editor';
import type { FrameSet } from '../frames/frame-set';
import classes from './model-panels.module.css';
import type { ModelTools } from './use-model-tools';

// Loaded when they are first used.
const ClickToolbar = lazy(async () => ({ default: (await import('./click-toolbar')).ClickToolbar }));
const RunProgress = lazy(async () => ({
  default: (await import('../../../components/models/run-progress')).RunProgress,
}));
const AnnotateDialog = lazyDialog(
  async () => (await import('../../../components/models/annotate-dialog')).AnnotateDialog,
);
const TrackDialog = lazyDialog(async () => (await import('./track-dialog')).TrackDialog);

interface ModelPanelsProps {
  readonly job: Job;
  readonly frames: FrameSet;
  /** The frame on the canvas. */
  readonly frame: number;
  /** Undefined while shapes cannot be drawn. */
  readonly editor: Editor | undefined;
  /** Keys of the selected objects that can be changed. */
  readonly keys: readonly string[];
  readonly models: ModelTools;
  /** Saves before a function changes the whole job. */
  readonly save: () => Promise<unknown>;
  readonly onAction: (action: Action) => void;
  readonly onStep: Dispatch<Step>;
}

/** What functions show above the canvas, and their dialogs. */
export function ModelPanels(props: ModelPanelsProps): ReactNode {
  const { job, frames, frame, editor, keys, models, save, onAction, onStep } = props;
  const { clicks, interactors, trackers, hasDetectors, dialog, closeDialog } = models;
  const onFound = async (found: unknown): Promise<number> => {
    const { addDetections } = await import('./detections');
    return editor === undefined ? 0 : addDetections(editor, found, frame);
  };
  return (
    <>
      {clicks.drawing !== undefined && (
        <Suspense fallback={null}>
          <ClickToolbar
            clicks={clicks}
            drawing={clicks.drawing}
            interactors={interactors}
            onAction={onAction}
            onStep={onStep}
          />
        </Suspense>
      )}
      {hasDetectors && (
        <div className={classes['progress']}>
          <Suspense fallback={null}>
            <RunProgress taskId={job.task_id} jobId={job.id} />
          </Suspense>
        </div>
      )}
      <AnnotateDialog
        opened={dialog === 'detect'}
        onClose={closeDialog}
        target={{ taskId: job.task_id, jobId: job.id }}
        frame={{ number: frame, onFound }}
        beforeRun={save}
      />
      <TrackDialog
        opened={dialog === 'track'}
        onClose={closeDialog}
        job={job}
        frames={frames}
        frame={frame}
        trackers={trackers}
        editor={editor}
        keys={keys}
        onTracked={(tracks, last) => {
          onStep({ do: 'select-all', keys: tracks });
          onStep({ do: 'go', to: last });
        }}
      />
    </>
  );
}
