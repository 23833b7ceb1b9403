import { Badge, Tabs, Text } from '@mantine/core';
import { lazy, memo, type ReactNode, Suspense } from 'react';
import type { Issue, Job, Label } from '../../../app/api';
import { ErrorPanel } from '../../../components/error-panel';
import type { Stage } from '../canvas/stage';
import type { ShownObject } from '../canvas/content';
import { type Mode, MODES } from '../data/modes';
import type { JobConflicts } from '../data/conflicts';
import type { GroundTruth } from '../data/ground-truth';
import type { Surroundings } from '../data/queries';
import type { Review, Step, Tab } from '../data/review';
import type { Action } from '../data/actions';
import type { DrawnType } from '../editing/sketch';
import type { JobAnnotations } from '../editing/use-editing';
import type { FrameSet } from '../frames/frame-set';
import classes from '../job-page.module.css';
import type { ModeActions } from '../modes/mode-actions';
import { hasPanel, ModePanel } from '../modes/mode-panel';
import { ReviewPanel } from '../modes/review-panel';
import { EditPanel } from './edit-panel';
import { IssuesPanel } from './issues-panel';
import { ModeSelect } from './mode-select';
import { ObjectsPanel } from './objects-panel';
import { SaveBar } from './save-bar';

interface SidePanelProps {
  readonly job: Job;
  readonly frames: FrameSet;
  readonly review: Review;
  readonly mode: Mode;
  /** The kinds of shapes that frames can have. */
  readonly kinds: readonly DrawnType[];
  readonly mayOpenIssue: boolean;
  readonly stage: Stage | null;
  /** The frame on the canvas. */
  readonly shownFrame: number;
  readonly onModeActions: (actions: ModeActions) => void;
  /** The objects of the frame that meet the filter, in the order of the list. */
  readonly objects: readonly ShownObject[];
  /** Number of objects of the frame, with those that do not meet the filter. */
  readonly count: number;
  readonly annotations: JobAnnotations;
  readonly issues: readonly Issue[];
  /** Why the issues could not be loaded. */
  readonly issuesError: Error | null;
  readonly truth: GroundTruth;
  /** Undefined without a quality report, and outside the review mode. */
  readonly conflicts: JobConflicts | undefined;
  readonly surroundings: Surroundings | undefined;
  /** Whether the user can change annotations in this mode. */
  readonly mayEdit: boolean;
  /** Label of the next drawing. */
  readonly drawingLabel: Label | undefined;
  readonly onMode: (mode: Mode) => void;
  readonly onAction: (action: Action) => void;
  readonly onStep: (step: Step) => void;
  readonly onHover: (key: string | null) => void;
}

// Loaded when there is a quality report.
const ConflictsPanel = lazy(async () => ({
  default: (await import('../modes/conflicts-panel')).ConflictsPanel,
}));

/** The mode, and what belongs to it: the objects or its own panel; the issues; and, whatever is shown, whether all is saved. */
export const SidePanel = memo(function SidePanel(props: SidePanelProps): ReactNode {
  const { job, review, mode, mayOpenIssue, objects, issues, conflicts, surroundings, onMode, onStep } = props;
  const { editing } = props.annotations;
  const isOwn = hasPanel(mode);
  return (
    <div className={classes['side']}>
      <ModeSelect mode={mode} mayEdit={surroundings?.rights.changeAnnotations === true} onChange={onMode} />
      <Tabs
        className={classes['tabs'] ?? ''}
        classNames={{ panel: classes['panel'] ?? '' }}
        value={review.tab === 'conflicts' && conflicts === undefined ? 'objects' : review.tab}
        onChange={(tab) => onStep({ do: 'set', values: { tab: (tab ?? 'objects') as Tab } })}
        // The keys of a mode belong to its panel, whose effects must also run while another tab is open.
        keepMounted={mode !== 'standard'}
        keepMountedMode="display-none"
      >
        <Tabs.List grow>
          <Tabs.Tab value="objects" rightSection={isOwn ? undefined : <Count number={objects.length} />}>
            {isOwn ? MODES.find(({ value }) => value === mode)?.label : 'Objects'}
          </Tabs.Tab>
          {conflicts !== undefined && (
            <Tabs.Tab value="conflicts" rightSection={<Count number={conflicts.conflicts.length} />}>
              Conflicts
            </Tabs.Tab>
          )}
          <Tabs.Tab value="issues" rightSection={<Count number={issues.filter(({ resolved }) => !resolved).length} />}>
            Issues
          </Tabs.Tab>
        </Tabs.List>
        {isSavable(props) && editing !== undefined && (
          <div className={classes['save']}>
            <SaveBar editing={editing} onAction={props.onAction} />
          </div>
        )}
        <Tabs.Panel value="objects">
          <Objects {...props} />
        </Tabs.Panel>
        {conflicts !== undefined && (
          <Tabs.Panel value="conflicts">
            <Suspense fallback={null}>
              <ConflictsPanel job={job} review={review} known={conflicts} truth={props.truth} onStep={onStep} />
            </Suspense>
          </Tabs.Panel>
        )}
        <Tabs.Panel value="issues">
          <IssuesPanel
            jobId={job.id}
            review={review}
            issues={issues}
            error={props.issuesError}
            mayOpenIssue={mayOpenIssue}
            surroundings={surroundings}
            onStep={onStep}
          />
        </Tabs.Panel>
      </Tabs>
    </div>
  );
});

/** In a review, only what was drawn before is saved. */
function isSavable({ mode, mayEdit, surroundings, annotations: { editing } }: SidePanelProps): boolean {
  const hasUnsaved = editing !== undefined && editing.state !== 'saved';
  return mayEdit || (mode === 'review' && surroundings?.rights.changeAnnotations === true && hasUnsaved);
}

function Objects(props: SidePanelProps): ReactNode {
  const { frames, review, mode, onModeActions, objects, count, surroundings, mayEdit, drawingLabel } = props;
  const { onAction, onStep, onHover } = props;
  const { editing, loading } = props.annotations;
  return (
    <>
      {(surroundings?.rights.changeAnnotations === false || editing?.isForbidden === true) && (
        <Text size="xs" c="dimmed" p="sm">
          You can view this job, but not change its annotations. Ask a maintainer to assign it to you.
          {editing?.editor.document.hasUnsaved === true &&
            ' Your unsaved changes are kept in this browser. They are saved when you open the job after it is assigned to you again.'}
        </Text>
      )}
      {loading.error !== null && <ErrorPanel error={loading.error} onRetry={() => void loading.refetch()} />}
      {hasPanel(mode) ? (
        editing !== undefined &&
        mayEdit && (
          <ModePanel
            mode={mode}
            frames={frames}
            kinds={props.kinds}
            review={review}
            editing={editing}
            stage={props.stage}
            shownFrame={props.shownFrame}
            onModeActions={onModeActions}
            onAction={onAction}
            onStep={onStep}
          />
        )
      ) : (
        <>
          {mode === 'review' && (
            <ReviewPanel
              job={props.job}
              review={review}
              editing={surroundings?.rights.changeAnnotations === true ? editing : undefined}
              stage={props.stage}
              truth={props.truth}
              conflicts={props.conflicts}
              mayOpenIssue={props.mayOpenIssue}
              onModeActions={onModeActions}
              onStep={onStep}
            />
          )}
          {editing !== undefined && mayEdit && (
            <EditPanel
              editing={editing}
              is3d={props.job.dimension === '3d'}
              kinds={props.kinds}
              stage={props.stage}
              review={review}
              label={drawingLabel}
              onStep={onStep}
              onAction={onAction}
            />
          )}
          <ObjectsPanel
            review={review}
            objects={objects}
            count={count}
            isLoading={editing === undefined && loading.isPending}
            editor={mayEdit ? editing?.editor : undefined}
            version={editing?.editor.version()}
            onAction={onAction}
            onStep={onStep}
            onHover={onHover}
          />
        </>
      )}
    </>
  );
}

const Count = ({ number }: { readonly number: number }): ReactNode => (
  <Badge size="sm" variant="default" miw="max-content" px={number < 10 ? 0 : 5} circle={number < 10}>
    {number}
  </Badge>
);
