import { useQuery } from '@tanstack/react-query';
import { type Dispatch, useMemo, useState } from 'react';
import type { Size } from '#shared/annotations/editing/geometry';
import type { Job } from '../../../app/api';
import { NotPossible } from '../../../app/not-possible';
import type { IconName } from '../../../components/icons';
import type { Model } from '../../../components/models/model';
import { modelsQuery } from '../../../components/models/models-query';
import type { Stage } from '../canvas/stage';
import type { Action, ModelAction } from '../data/actions';
import type { Review, Step } from '../data/review';
import type { Editor } from '../editing/editor';
import type { FrameSet } from '../frames/frame-set';
import { type Clicks, useClicks } from './use-clicks';

interface Context {
  readonly job: Job;
  readonly frames: FrameSet;
  /** Undefined while shapes cannot be drawn. */
  readonly editor: Editor | undefined;
  readonly review: Review;
  readonly step: Dispatch<Step>;
  readonly stage: Stage | null;
  /** The frame on the canvas. */
  readonly frame: number;
  readonly size: Size;
  /** Keys of the selected objects that can be changed. */
  readonly keys: readonly string[];
  readonly onError: (error: unknown) => void;
}

/** A button of the toolbar. */
export interface ModelTool {
  readonly action: ModelAction;
  readonly icon: IconName;
  readonly title: string;
  readonly isOn?: boolean;
}

/** Functions that help to annotate. Their tools are hidden if there are none. */
export interface ModelTools {
  readonly tools: readonly ModelTool[];
  readonly interactors: readonly Model[];
  readonly trackers: readonly Model[];
  readonly hasDetectors: boolean;
  readonly clicks: Clicks;
  readonly dialog: 'detect' | 'track' | null;
  /** What keys and buttons do. While objects are segmented by clicks, some do something else. */
  readonly actions: Readonly<Record<ModelAction, () => void>> & Partial<Record<Action, () => void>>;
  closeDialog(): void;
}

const NO_MODELS: readonly Model[] = [];

export function useModelTools(context: Context): ModelTools {
  const { job, frames, editor, review, step, keys, onError } = context;
  const isPossible = editor !== undefined && job.dimension === '2d';
  const { data } = useQuery({ ...modelsQuery, enabled: isPossible, retry: false });
  const models = (isPossible ? data : undefined) ?? NO_MODELS;
  const [dialog, setDialog] = useState<'detect' | 'track' | null>(null);
  const interactors = useMemo(() => models.filter(({ kind }) => kind === 'interactor'), [models]);
  const trackers = useMemo(() => models.filter(({ kind }) => kind === 'tracker'), [models]);
  const hasDetectors = models.some(({ kind }) => kind === 'detector');
  const clicks = useClicks({ ...context, interactors });
  const areClicksPossible = interactors.length > 0 && clicks.labels.length > 0;
  const isTrackPossible = trackers.length > 0 && frames.count > 1;
  const isClicking = review.tool === 'clicks';
  const tools = useMemo(
    (): readonly ModelTool[] => [
      ...(hasDetectors ? [{ action: 'detect', icon: 'detect', title: 'Detect objects' } as const] : []),
      ...(areClicksPossible
        ? [{ action: 'clicks-tool', icon: 'clicks', title: 'Segment by clicks', isOn: isClicking } as const]
        : []),
      ...(isTrackPossible ? [{ action: 'track', icon: 'track', title: 'Track from here' } as const] : []),
    ],
    [hasDetectors, areClicksPossible, isTrackPossible, isClicking],
  );
  return {
    tools,
    interactors,
    trackers,
    hasDetectors,
    clicks,
    dialog,
    actions: {
      detect: () => (hasDetectors ? setDialog('detect') : undefined),
      'clicks-tool': () => {
        if (!areClicksPossible) return;
        if (clicks.problem === undefined) step({ do: 'use', tool: 'clicks' });
        else onError(new NotPossible(clicks.problem));
      },
      track: () => {
        if (!isTrackPossible) return;
        if (keys.length > 0) setDialog('track');
        else onError(new NotPossible('Select the objects to track first. Locked objects cannot be tracked.'));
      },
      ...clicks.actions,
    },
    closeDialog: () => setDialog(null),
  };
}
