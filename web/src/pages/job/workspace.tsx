import { memo, type ReactNode, useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import type { Issue, Job } from '../../app/api';
import { useUser } from '../../app/session';
import { showProblem } from '../../components/notify';
import { performAction } from './actions/perform-action';
import { CanvasStage } from './canvas/canvas-stage';
import type { Stage } from './canvas/stage';
import type { Action } from './data/actions';
import { useGroundTruth } from './data/ground-truth';
import { currentParameters, type Mode } from './data/modes';
import { type Surroundings, useIssues } from './data/queries';
import { activeKey, advance, newReview, type Review, type Step } from './data/review';
import { isFor } from './data/shortcuts';
import { labelOfReview } from './editing/drawing-label';
import { DRAWN_TYPES } from './editing/sketch';
import { type OpenSession, useEditing } from './editing/use-editing';
import type { FrameSet } from './frames/frame-set';
import { useFrameDeletion } from './frames/use-frame-deletion';
import classes from './job-page.module.css';
import { ModelPanels } from './models/model-panels';
import { useModelTools } from './models/use-model-tools';
import type { ModeActions } from './modes/mode-actions';
import { SidePanel } from './panels/side-panel';
import { ToolBar } from './panels/tool-bar';
import { useScissors } from './scissors/use-scissors';
import { shapeActions } from './shape-actions';
import { Throttled } from './throttled';
import { useKeyboard } from './use-keyboard';
import { useLatest } from './use-latest';
import { useMasks } from './use-masks';
import { ZoomLevel } from './panels/zoom-badge';
import { CLOUD_KINDS, useCanvasEdits, useDrawableTypes } from './use-canvas-edits';
import { useFrameObjects } from './use-frame-objects';
import { useDialogs, WorkspaceDialogs } from './workspace-dialogs';
import { BottomBar } from './panels/bottom-bar';
import { usePlayedFrame } from './use-played-frame';
import { useOpenConflicts } from './use-open-conflicts';
import { useReports } from './reporting/use-reports';
import { useRightfulMode } from './use-rightful-mode';
import { useSession } from './use-session';
import { useReveal, WorkspaceCanvas } from './workspace-canvas';

const NO_ISSUES: readonly Issue[] = [];
const NO_KEYFRAMES: readonly number[] = [];

interface WorkspaceProps {
  readonly job: Job;
  readonly frames: FrameSet;
  readonly surroundings: Surroundings | undefined;
  /** Receives the session of the editor once the annotations are loaded. */
  readonly onSession: (session: OpenSession | undefined) => void;
}

/** The canvas with the toolbar, the panels and the player around it. */
export const Workspace = memo(function Workspace({ job, frames, surroundings, onSession }: WorkspaceProps): ReactNode {
  const is3d = job.dimension === '3d';
  const [review, step] = useReducer(
    (state: Review, what: Step) => advance(frames, state, what),
    undefined,
    () =>
      newReview(
        frames.nearest(Number(currentParameters().get('frame') ?? frames.first)),
        is3d ? 'cuboid' : 'rectangle',
      ),
  );
  const { frame, isPlaying } = review;
  const [stage, setStage] = useState<Stage | null>(null);
  const numberInput = useRef<HTMLInputElement>(null);
  const dialogs = useDialogs();
  const [zoom] = useState(() => new ZoomLevel());
  /** False: the browser cannot show point clouds. */
  const [hasView, setHasView] = useState(true);

  const { loader, image } = usePlayedFrame({ job, frames, review, stage, step });
  const user = useUser();
  const annotations = useEditing(job.id, user.id);
  const { editing, session } = annotations;
  const editor = editing?.editor;
  const { mode, setMode, mayEdit } = useRightfulMode(job, surroundings, editing);
  const modeActions = useRef<ModeActions>({});
  const onModeActions = useCallback((actions: ModeActions) => {
    modeActions.current = actions;
  }, []);
  const issues = useIssues(job.id);
  const allIssues = issues.data ?? NO_ISSUES;
  // The frame on the canvas. It stays the previous frame while the next one is loading.
  const shownFrame = image.shown?.frame ?? frame;
  const truth = useGroundTruth({
    job,
    organization: surroundings?.organization,
    labels: editor?.labels,
    isWanted: mode === 'review',
  });
  const conflicts = useOpenConflicts({
    job,
    organization: surroundings?.organization,
    isWanted: mode === 'review' && surroundings?.rights.viewQuality === true,
    step,
  });
  const {
    all,
    objects,
    listed,
    selected,
    selectedKeys,
    active: selectedObject,
    annotated,
  } = useFrameObjects(editor, shownFrame, review, truth);
  const isEditable = mayEdit && !frames.isDeleted(shownFrame);
  const kinds = is3d ? CLOUD_KINDS : DRAWN_TYPES;
  // Without WebGL, point clouds have no stage.
  const isDrawable = isEditable && mode === 'standard' && (stage !== null || !is3d);
  const drawable = useDrawableTypes(isDrawable ? editor?.labels : undefined, kinds);
  // An issue is a position in an image.
  const mayOpenIssue = surroundings?.rights.openIssue === true && !is3d;
  const active = activeKey(review);

  // Single shapes have their own number of points.
  useEffect(() => {
    if (mode === 'standard') stage?.setPointLimit(review.pointLimit);
  }, [stage, mode, review.pointLimit]);
  const next = labelOfReview(editor?.labels, review);
  const masks = useMasks({
    editor: drawable.includes('mask') || (isEditable && mode === 'single-shape' && !is3d) ? editor : undefined,
    modeActions,
    review,
    step,
    stage: stage instanceof CanvasStage ? stage : null,
    frame: shownFrame,
    size: frames.info(shownFrame),
    label: next.problem === undefined ? next.label : undefined,
    objects,
    onError: showProblem,
  });
  useSession(session, masks, onSession);
  useReports({ job, editor, frame, state: editing?.state });
  const unlockedKeys = selectedKeys.filter((key) => !review.locked.has(key));
  const shapes = shapeActions({
    editor,
    step,
    frame: shownFrame,
    size: frames.info(shownFrame),
    keys: unlockedKeys,
    onError: showProblem,
  });
  const modelEditor = isDrawable ? editor : undefined;
  const models = useModelTools({
    job,
    frames,
    editor: modelEditor,
    review,
    step,
    stage,
    frame: shownFrame,
    size: frames.info(shownFrame),
    keys: unlockedKeys,
    onError: showProblem,
  });
  const edits = useCanvasEdits({
    editor: isEditable ? editor : undefined,
    review,
    step,
    stage,
    frame: shownFrame,
    next,
    onError: showProblem,
    drawable,
    selectedKeys,
    shapes,
    modeActions,
  });
  useScissors({
    isOn: review.tool === 'scissors' && isDrawable,
    stage,
    shown: image.shown,
    frame: shownFrame,
    size: frames.info(shownFrame),
    onDraw: edits.onDraw,
    onError: showProblem,
  });
  const onHover = useCallback((key: string | null) => stage?.setHovered(key), [stage]);
  useReveal(stage, review, selectedObject);

  const focusNumber = useCallback(() => numberInput.current?.select(), []);
  const deleteFrame = useFrameDeletion(job.id);
  const onAction = useLatest((action: Action) =>
    performAction(
      {
        frames,
        review,
        step,
        stage,
        objects: listed,
        selected,
        annotated,
        editing,
        masks,
        shapes,
        models,
        rights: surroundings?.rights,
        mayEdit,
        drawable,
        modeActions,
        paste: edits.paste,
        focusNumber,
        show: dialogs.show,
        deleteFrame,
        onError: showProblem,
      },
      action,
    ),
  );
  // Without a selected object, Tab moves the focus: otherwise the keyboard could not reach the panels.
  useKeyboard(
    mode,
    onAction,
    (shortcut) =>
      isFor(shortcut, job.dimension) && (!/^(next|previous)-object$/.test(shortcut.action) || active !== null),
  );

  const onMode = useLatest((next: Mode): void => {
    step({ do: 'use', tool: 'select' });
    setMode(next);
  });

  const issueFrames = useFramesOf(allIssues);
  const conflictFrames = useFramesOf(conflicts?.conflicts ?? NO_ISSUES);
  return (
    <div className={`job-work ${classes['work'] ?? ''}`}>
      <Throttled frame={frame} isPlaying={isPlaying}>
        <ToolBar
          tool={review.tool}
          mayOpenIssue={mayOpenIssue}
          is3d={is3d}
          hasView={hasView}
          drawable={drawable}
          models={models.tools}
          areAllHidden={review.areAllHidden}
          isOriginal={review.quality === 'original'}
          onAction={onAction}
        />
      </Throttled>
      <div className={classes['centre']}>
        <WorkspaceCanvas
          job={job}
          frames={frames}
          review={review}
          image={image}
          shownFrame={shownFrame}
          zoom={zoom}
          objects={objects}
          issues={allIssues}
          masks={masks}
          edits={edits}
          isEditable={isEditable}
          onStage={setStage}
          onHover={onHover}
          onAction={onAction}
          onStep={step}
          onFailure={() => setHasView(false)}
        >
          <ModelPanels
            job={job}
            frames={frames}
            frame={shownFrame}
            editor={modelEditor}
            keys={unlockedKeys}
            models={models}
            save={async () => editing?.saver.save()}
            onAction={onAction}
            onStep={step}
          />
        </WorkspaceCanvas>
        <BottomBar
          frames={frames}
          review={review}
          editor={editor}
          loader={loader}
          loaded={image.shown}
          is3d={is3d}
          annotated={annotated}
          issues={issueFrames}
          conflicts={conflictFrames}
          keyframes={selectedObject?.keyframes ?? NO_KEYFRAMES}
          numberInput={numberInput}
          mayDelete={surroundings?.rights.deleteFrames === true}
          onAction={onAction}
          onStep={step}
        />
      </div>
      <Throttled frame={frame} isPlaying={isPlaying}>
        <SidePanel
          job={job}
          frames={frames}
          review={review}
          mode={mode}
          kinds={kinds}
          mayOpenIssue={mayOpenIssue}
          stage={stage}
          shownFrame={shownFrame}
          onModeActions={onModeActions}
          objects={listed}
          count={all.length}
          annotations={annotations}
          issues={allIssues}
          issuesError={issues.error}
          truth={truth}
          conflicts={conflicts}
          surroundings={surroundings}
          mayEdit={mayEdit}
          drawingLabel={next.label}
          onMode={onMode}
          onAction={onAction}
          onStep={step}
          onHover={onHover}
        />
      </Throttled>
      <WorkspaceDialogs
        dialogs={dialogs}
        job={job}
        frames={frames}
        review={review}
        editor={editor}
        selectedKeys={selectedKeys}
        found={objects.length}
        onStep={step}
      />
    </div>
  );
});

const useFramesOf = (entries: readonly { readonly frame: number }[]): ReadonlySet<number> =>
  useMemo(() => new Set(entries.map(({ frame }) => frame)), [entries]);
