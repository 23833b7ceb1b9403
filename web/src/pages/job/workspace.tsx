import { type ReactNode, useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Issue, Job } from '../../app/api';
import { useUser } from '../../app/session';
import { showProblem } from '../../components/notify';
import { CanvasStage } from './canvas/canvas-stage';
import { FrameView } from './canvas/frame-view';
import type { Stage } from './canvas/stage';
import { useContent, usePins } from './canvas/use-content';
import { useGroundTruth } from './data/ground-truth';
import { needsEditing, useMode } from './data/modes';
import { type Surroundings, useIssues } from './data/queries';
import { activeKey, advance, newReview, type Review, type Step } from './data/review';
import { isFor } from './data/shortcuts';
import { DRAWN_TYPES, type DrawnType } from './editing/sketch';
import { type OpenSession, useEditing } from './editing/use-editing';
import type { FrameSet } from './frames/frame-set';
import { useFrameDeletion } from './frames/use-frame-deletion';
import classes from './job-page.module.css';
import type { ModeActions } from './modes/mode-actions';
import { SidePanel } from './panels/side-panel';
import { ToolBar } from './panels/tool-bar';
import { useSettings } from './settings/settings';
import { shapeActions } from './shape-actions';
import { Throttled } from './throttled';
import { useActions } from './use-actions';
import { useKeyboard } from './use-keyboard';
import { useMasks } from './use-masks';
import { counted } from '../../components/counted';
import { CanvasOverlays } from './panels/canvas-overlays';
import { ZoomLevel } from './panels/zoom-badge';
import { CLOUD_KINDS, drawableTypes, useCanvasEdits, useDrawingLabel } from './use-canvas-edits';
import { useFrameObjects } from './use-frame-objects';
import { useDialogs, WorkspaceDialogs } from './workspace-dialogs';
import { BottomBar } from './panels/bottom-bar';
import { usePlayedFrame } from './use-played-frame';
import { useSession } from './use-session';

const NO_TYPES: readonly DrawnType[] = [];
const NO_ISSUES: readonly Issue[] = [];

interface WorkspaceProps {
  readonly job: Job;
  readonly frames: FrameSet;
  readonly surroundings: Surroundings | undefined;
  /** Receives the session of the editor once the annotations are loaded. */
  readonly onSession: (session: OpenSession | undefined) => void;
}

/** The canvas with the toolbar, the panels and the player around it. */
export function Workspace({ job, frames, surroundings, onSession }: WorkspaceProps): ReactNode {
  const [search] = useSearchParams();
  const is3d = job.dimension === '3d';
  const [review, step] = useReducer(
    (state: Review, what: Step) => advance(frames, state, what),
    undefined,
    () => newReview(frames.nearest(Number(search.get('frame') ?? frames.first)), is3d ? 'cuboid' : 'rectangle'),
  );
  const { frame, isPlaying } = review;
  const [stage, setStage] = useState<Stage | null>(null);
  const numberInput = useRef<HTMLInputElement>(null);
  const settings = useSettings();
  const dialogs = useDialogs();
  const [zoom] = useState(() => new ZoomLevel());
  /** False: the browser cannot show point clouds. */
  const [hasView, setHasView] = useState(true);

  const { loader, image } = usePlayedFrame({ job, frames, review, stage, step });
  const user = useUser();
  const annotations = useEditing(job.id, user.id);
  const { editing, session } = annotations;
  const editor = editing?.editor;
  const mayChange = surroundings?.rights.changeAnnotations === true && editing?.isForbidden !== true;
  const [wantedMode, setMode] = useMode(job);
  const mode = surroundings !== undefined && !mayChange && needsEditing(wantedMode) ? 'standard' : wantedMode;
  const mayEdit = mayChange && mode !== 'review';
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
  const drawable = isDrawable && editor !== undefined ? drawableTypes(editor.labels, kinds) : NO_TYPES;
  // An issue is a position in an image.
  const mayOpenIssue = surroundings?.rights.openIssue === true && !is3d;
  const pins = usePins(allIssues, shownFrame, review);
  const active = activeKey(review);

  const onSelect = useCallback((key: string | null, adds: boolean) => {
    if (!adds) step({ do: 'select', key });
    else if (key !== null) step({ do: 'toggle-selected', key });
  }, []);
  const onSelectAll = useCallback((keys: readonly string[]) => step({ do: 'select-all', keys, adds: true }), []);
  // Single shapes have their own number of points.
  useEffect(() => {
    if (mode === 'standard') stage?.setPointLimit(review.pointLimit);
  }, [stage, mode, review.pointLimit]);
  const drawingLabel = useDrawingLabel(editor?.labels, review);
  const masks = useMasks({
    editor: drawable.includes('mask') || (isEditable && mode === 'single-shape' && !is3d) ? editor : undefined,
    modeActions,
    review,
    step,
    stage: stage instanceof CanvasStage ? stage : null,
    frame: shownFrame,
    size: frames.info(shownFrame),
    label: drawingLabel,
    objects,
    onError: showProblem,
  });
  useSession(session, masks, onSession);
  // The mask being edited is shown by its painting.
  const unedited = useMemo(() => objects.filter(({ object }) => object.key !== masks.edited), [objects, masks.edited]);
  const content = useContent(image.shown, frames, unedited, review, isEditable);
  const shapes = shapeActions({
    editor,
    step,
    frame: shownFrame,
    size: frames.info(shownFrame),
    keys: selectedKeys.filter((key) => !review.locked.has(key)),
    onError: showProblem,
  });
  const { onDraw, onRedraw, onEdit, paste } = useCanvasEdits({
    editor: isEditable ? editor : undefined,
    review,
    step,
    stage,
    frame: shownFrame,
    label: drawingLabel,
    drawable,
    selectedKeys,
    shapes,
    modeActions,
  });
  const onHover = useCallback((key: string | null) => stage?.setHovered(key), [stage]);
  // Scroll to a newly selected object, but not on every frame while it stays selected.
  const revealed = useRef<string | null>(null);
  useEffect(() => {
    if (revealed.current === active) return;
    revealed.current = active;
    if (selectedObject?.bounds !== undefined) stage?.camera.reveal(selectedObject.bounds);
  }, [stage, selectedObject, active]);

  const focusNumber = useCallback(() => numberInput.current?.select(), []);
  const onAction = useActions({
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
    rights: surroundings?.rights,
    mayEdit,
    drawable,
    modeActions,
    paste,
    focusNumber,
    showHelp: () => dialogs.show('shortcuts'),
    showSettings: () => dialogs.show('settings'),
    showFindFrame: () => dialogs.show('find-frame'),
    showFilter: () => dialogs.show('filter'),
    showStatistics: () => dialogs.show('statistics'),
    deleteFrame: useFrameDeletion(job.id),
    showPropagate: () => dialogs.show('propagate'),
    onError: showProblem,
  });
  // Without a selected object, Tab moves the focus: otherwise the keyboard could not reach the panels.
  useKeyboard(
    mode,
    onAction,
    (shortcut) =>
      isFor(shortcut, job.dimension) && (!/^(next|previous)-object$/.test(shortcut.action) || active !== null),
  );

  const issueFrames = useMemo(() => new Set(allIssues.map((issue) => issue.frame)), [allIssues]);
  return (
    <div className={`job-work ${classes['work'] ?? ''}`}>
      <Throttled frame={frame} isPlaying={isPlaying}>
        <ToolBar
          tool={review.tool}
          mayOpenIssue={mayOpenIssue}
          is3d={is3d}
          hasView={hasView}
          drawable={drawable}
          areAllHidden={review.areAllHidden}
          isOriginal={review.quality === 'original'}
          onAction={onAction}
        />
      </Throttled>
      <div className={classes['centre']}>
        <div className={classes['middle']}>
          <FrameView
            is3d={is3d}
            name={`Frame ${shownFrame} of job ${job.id} with ${counted(objects.length, 'object')}, listed in the Objects panel`}
            content={content}
            pins={pins}
            selected={review.selected}
            tool={review.tool}
            display={settings}
            snaps={review.snaps}
            takesExtremePoints={review.takesExtremePoints}
            takesFourPoints={review.takesFourPoints}
            onStage={setStage}
            onSelect={onSelect}
            onSelectAll={onSelectAll}
            onHover={onHover}
            onDraw={onDraw}
            onRedraw={onRedraw}
            onEdit={onEdit}
            onPaste={paste}
            onIssue={(id) => step({ do: 'open-issue', id })}
            onPinIssue={(position) => step({ do: 'draft', position })}
            onView={(view) => zoom.set(view.scale)}
            onFailure={() => setHasView(false)}
          />
          <CanvasOverlays
            job={job}
            frames={frames}
            review={review}
            image={image}
            shownFrame={shownFrame}
            zoom={zoom}
            objects={objects}
            masks={masks}
            onAction={onAction}
          />
        </div>
        <BottomBar
          frames={frames}
          review={review}
          editor={editor}
          loader={loader}
          loaded={image.shown}
          is3d={is3d}
          annotated={annotated}
          issues={issueFrames}
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
          issues={issues}
          truth={truth}
          surroundings={surroundings}
          mayEdit={mayEdit}
          drawingLabel={drawingLabel}
          onMode={(next) => {
            step({ do: 'use', tool: 'select' });
            setMode(next);
          }}
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
}

const NO_KEYFRAMES: readonly number[] = [];
