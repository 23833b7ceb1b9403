import { Checkbox, Text } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import type { Job } from '../../../app/api';
import { showProblem } from '../../../components/notify';
import type { Stage } from '../canvas/stage';
import { type JobConflicts, stepTo } from '../data/conflicts';
import type { GroundTruth } from '../data/ground-truth';
import { conflictFrom } from '../data/next-conflict';
import type { Review, Step } from '../data/review';
import type { Editing } from '../editing/use-editing';
import panel from '../panels/panel.module.css';
import { type ModeActions, useModeActions } from './mode-actions';

interface ReviewPanelProps {
  readonly job: Job;
  readonly review: Review;
  /** Undefined if the user cannot change annotations. */
  readonly editing: Editing | undefined;
  readonly stage: Stage | null;
  readonly truth: GroundTruth;
  /** Undefined without a quality report. */
  readonly conflicts: JobConflicts | undefined;
  readonly mayOpenIssue: boolean;
  readonly onModeActions: (actions: ModeActions) => void;
  readonly onStep: (step: Step) => void;
}

/** Creates issues and shows the ground truth. Annotations cannot be changed. */
export function ReviewPanel(props: ReviewPanelProps): ReactNode {
  const { job, review, editing, stage, truth, conflicts, mayOpenIssue, onModeActions, onStep } = props;
  const hasConflicts = conflicts !== undefined && conflicts.conflicts.length > 0;
  const saver = editing?.saver;
  // What was drawn before the review is saved, as nothing can be changed now.
  useEffect(() => {
    saver?.save().catch(() => undefined); // the status shows errors
  }, [saver]);
  const openConflict = (by: 1 | -1): void => {
    const conflict = conflictFrom(conflicts?.conflicts ?? [], review, by);
    if (conflict === undefined) return;
    truth.setShown(true);
    onStep(stepTo(conflict, job));
  };
  useModeActions(onModeActions, {
    save: () => void editing?.save().catch(showProblem),
    'issue-here': () => {
      if (mayOpenIssue && stage?.pinIssueAtPointer() !== true) onStep({ do: 'use', tool: 'issue' });
    },
    'next-conflict': () => openConflict(1),
    'previous-conflict': () => openConflict(-1),
  });
  return (
    <div className={panel['filter']}>
      <Text size="xs" c="dimmed">
        {mayOpenIssue && 'Press N to create an issue at the pointer. '}
        {hasConflicts && 'Press X to go to the next conflict. '}
        Annotations cannot be changed in this mode.
      </Text>
      {truth.isAvailable && (
        <Checkbox
          size="xs"
          label="Show ground truth"
          description={describeTruth(truth, review.frame)}
          checked={truth.isShown}
          onChange={(event) => truth.setShown(event.currentTarget.checked)}
        />
      )}
    </div>
  );
}

function describeTruth({ isShown, at }: GroundTruth, frame: number): string {
  if (!isShown) return 'Its objects are hidden.';
  return at(frame).length === 0 ? 'It has no objects on this frame.' : 'Its objects are white.';
}
