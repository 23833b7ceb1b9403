import type { Dispatch } from 'react';
import type { Label } from '../../../app/api';
import { NotPossible } from '../../../app/not-possible';
import type { Stage } from '../canvas/stage';
import type { Review, Step } from '../data/review';
import { refusal, toolFor, typesOfTool } from '../editing/drawing-label';

interface Context {
  readonly stage: Stage | null;
  readonly review: Review;
  readonly step: Dispatch<Step>;
  readonly onError: (error: unknown) => void;
}

/** Selects the label of the next drawing. If it needs another tool, a shape that is being drawn is not discarded for it. */
export function selectLabel({ stage, review, step, onError }: Context, label: Label): void {
  if (stage?.isSketching === true && toolFor(label, review.tool) !== review.tool) {
    const advice = 'Or finish the shape first, or press Esc to discard it.';
    return onError(new NotPossible(`${refusal(label, typesOfTool(review.tool))} ${advice}`));
  }
  step({ do: 'select-label', label });
}
