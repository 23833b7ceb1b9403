import { Loader } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { Point } from '#shared/annotations/editing/geometry';
import type { Issue, Job, Label } from '../../app/api';
import { lastFrames } from '../../app/last-frames';
import { useUser } from '../../app/session';
import { ErrorPanel } from '../../components/error-panel';
import { showProblem } from '../../components/notify';
import { CanvasStage } from './canvas/canvas-stage';
import type { Edit, ShownObject } from './canvas/content';
import { FrameView } from './canvas/frame-view';
import type { Stage } from './canvas/stage';
import { useContent, usePins } from './canvas/use-content';
import { type GroundTruth, useGroundTruth } from './data/ground-truth';
import { needsEditing, useMode, withParameter } from './data/modes';
import { type Surroundings, useIssues } from './data/queries';
import { activeKey, advance, newReview, type Review, type Step } from './data/review';
import { isFor } from './data/shortcuts';
import { allowsType, type Editor } from './editing/editor';
import { DRAWN_TYPES, type DrawnType, type SketchedType } from './editing/sketch';
import type { Saver } from './editing/saver';
import { type OpenSession, useEditing } from './editing/use-editing';
import type { FrameSet } from './frames/frame-set';
import { useFrameDeletion } from './frames/use-frame-deletion';
import { useLoader, useFrameImage } from './frames/use-frame-image';
import classes from './job-page.module.css';
import type { ModeActions } from './modes/mode-actions';
import { ContextImages } from './panels/context-images';
import { Filmstrip } from './panels/filmstrip';
import { Player } from './panels/player';
import { PropagateDialog } from './panels/propagate-dialog';
import { SidePanel } from './panels/side-panel';
import { ToolBar } from './panels/tool-bar';
import { selectedAmong } from './scene/object-list';
import { completeConditions, matchesFilter, sortedObjects } from './scene/object-filter';
import { type ColorBy, type Colors, colorOf } from './scene/scene';
import { useSettings } from './settings/settings';
import { FilterDialog, FindFrameDialog, SettingsDialog, ShortcutsDialog, StatisticsDialog } from './dialogs';
import { shapeActions } from './shape-actions';
import { Throttled } from './throttled';
import { useActions } from './use-actions';
import { useKeyboard } from './use-keyboard';
import { useMasks } from './use-masks';
import { usePlaying } from './use-playing';
import { counted } from '../../components/counted';

// Loaded when they are first shown.
const Timeline = lazy(async () => ({ default: (await import('./panels/timeline')).Timeline }));
const MaskToolbar = lazy(async () => ({ default: (await import('./panels/mask-toolbar')).MaskToolbar }));

const NO_OBJECTS: readonly ShownObject[] = [];
const NO_LABELS: readonly Label[] = [];
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
  const [search, setSearch] = useSearchParams();
  const is3d = job.dimension === '3d';
  const [review, step] = useReducer(
    (state: Review, what: Step) => advance(frames, state, what),
    undefined,
    () => newReview(frames.nearest(Number(search.get('frame') ?? frames.first)), is3d ? 'cuboid' : 'rectangle'),
  );
  const { frame, direction, isPlaying } = review;
  const [stage, setStage] = useState<Stage | null>(null);
  const numberInput = useRef<HTMLInputElement>(null);
  const settings = useSettings();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isSettingsOpen, setSettingsOpen] = useState(false);
  const [areStatisticsOpen, setStatisticsOpen] = useState(false);
  const [isFilterOpen, setFilterOpen] = useState(false);
  const [isFindFrameOpen, setFindFrameOpen] = useState(false);
  const [isPropagateOpen, setPropagateOpen] = useState(false);
  const [scale, setScale] = useState(1);
  /** False: the browser cannot show point clouds. */
  const [hasView, setHasView] = useState(true);

  const loader = useLoader(job, frames, review.quality);
  const position = frames.position(frame);
  const playedRate = isPlaying ? frames.rate * review.speed : 0;
  const image = useFrameImage(loader, frame, { position, direction, playedRate });
  usePlaying({ review, frames, loader, image, stage, step });
  // The URL contains the frame number, so that users can share a link to a frame.
  useEffect(() => {
    if (isPlaying) return;
    setSearch((before) => withParameter(before, 'frame', String(frame)), { replace: true });
    lastFrames.set(job.id, frame);
  }, [frame, isPlaying, setSearch, job.id]);

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
  const allObjects = useObjects(editor, shownFrame, { colorBy: settings.colorBy, colors: review.colors, truth });
  const objects = useFiltered(allObjects, shownFrame, review);
  const listed = useMemo(
    () => sortedObjects(objects, settings.sort, editor?.changedAt ?? never),
    [objects, settings.sort, editor],
  );
  const annotated = useAnnotatedFrames(editor);
  const isEditable = mayEdit && !frames.isDeleted(shownFrame);
  const kinds = is3d ? CLOUD_KINDS : DRAWN_TYPES;
  // Without WebGL, point clouds have no stage.
  const isDrawable = isEditable && mode === 'standard' && (stage !== null || !is3d);
  const drawable = isDrawable && editor !== undefined ? drawableTypes(editor.labels, kinds) : NO_TYPES;
  // An issue is a position in an image.
  const mayOpenIssue = surroundings?.rights.openIssue === true && !is3d;
  const pins = usePins(allIssues, shownFrame, review);
  const active = activeKey(review);
  const selected = useMemo(() => selectedAmong(objects, review.selected), [objects, review.selected]);
  const selectedKeys = selected.map(({ key }) => key);
  const selectedObject = selected.find(({ key }) => key === active);

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
  const storeMask = useRef(masks.store);
  useEffect(() => {
    storeMask.current = masks.store;
  });
  useEffect(() => {
    const save = async (of: Saver): Promise<void> => {
      storeMask.current();
      await of.save();
    };
    onSession(session && { ...session, save: () => save(session.saver) });
    return () => onSession(undefined);
  }, [session, onSession]);
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
  const onDraw = (type: SketchedType, points: number[]): void => {
    if (review.tool === 'slice') return shapes.slice(points);
    if (editor === undefined || !isEditable || drawingLabel === undefined) return;
    const drawn = { type, points, frame: shownFrame, labelId: drawingLabel.id, isTrack: review.drawsTracks };
    const { redrawn } = review;
    if (redrawn !== null && editor.shapeAt(redrawn, shownFrame)?.type === type) {
      editor.redraw(redrawn, shownFrame, points);
      return step({ do: 'use', tool: 'select' });
    }
    const key = editor.draw(drawn);
    const { onDrawn } = modeActions.current;
    if (onDrawn !== undefined) return onDrawn();
    step({ do: 'use', tool: 'select' });
    step({ do: 'select', key });
  };
  const onEdit = (key: string, edit: Edit): void => {
    if (edit.kind === 'move') {
      const isMovable = (one: string): boolean => !review.locked.has(one) && !review.pinned.has(one);
      const moved = selectedKeys.includes(key) ? selectedKeys.filter(isMovable) : [key];
      editor?.together(() => moved.forEach((one) => editor.moveBy(one, shownFrame, edit.dx, edit.dy)));
    } else if (edit.kind === 'place') {
      editor?.together(() =>
        edit.points.forEach((points, one) =>
          editor.reshape(edit.title, one, shownFrame, () => ({ points, rotation: 0 })),
        ),
      );
    } else editor?.reshape(edit.title, key, shownFrame, () => edit);
  };
  const paste = (at?: Point): void => {
    const keys = isEditable ? (editor?.paste(shownFrame, at) ?? []) : [];
    if (keys.length === 0) return;
    step({ do: 'select-all', keys });
    stage?.pasteWhileHeld?.();
  };
  const onHover = useCallback((key: string | null) => stage?.setHovered(key), [stage]);
  const onGo = useCallback((to: number) => step({ do: 'go', to }), []);
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
    showHelp: () => setHelpOpen(true),
    showSettings: () => setSettingsOpen(true),
    showFindFrame: () => setFindFrameOpen(true),
    showFilter: () => setFilterOpen(true),
    showStatistics: () => setStatisticsOpen(true),
    deleteFrame: useFrameDeletion(job.id),
    showPropagate: () => setPropagateOpen(true),
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
  const { related_files: related = 0 } = frames.info(shownFrame);
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
            onRedraw={(key, type) =>
              drawable.includes(type) ? step({ do: 'use', tool: type, redraws: key }) : undefined
            }
            onEdit={onEdit}
            onPaste={paste}
            onIssue={(id) => step({ do: 'open-issue', id })}
            onPinIssue={(position) => step({ do: 'draft', position })}
            onView={(view) => setScale(view.scale)}
            onFailure={() => setHasView(false)}
          />
          {masks.session !== undefined && (
            <Suspense fallback={null}>
              <MaskToolbar masks={masks} onAction={onAction} />
            </Suspense>
          )}
          {!is3d && (
            <div className={classes['zoom']} aria-hidden="true">
              {Math.round(scale * 100)} %
            </div>
          )}
          {image.error !== null && (
            <div className={classes['notice']}>
              <ErrorPanel error={image.error} onRetry={image.retry} />
            </div>
          )}
          {image.isLoading && (
            <div className={classes['loading']} role="status">
              <Loader size="sm" color="gray" aria-hidden />
              <span className="visually-hidden">Frame {frame} is being loaded…</span>
            </div>
          )}
          {frames.isDeleted(shownFrame) && <div className={classes['deleted-note']}>This frame is deleted</div>}
          {review.tool === 'slice' && (
            <div className={classes['hint']} role="status">
              Draw a line across the object. Press N or double-click to finish.
            </div>
          )}
          <TagsOf objects={objects} />
          <Throttled frame={frame} isPlaying={isPlaying}>
            {related > 0 && <ContextImages jobId={job.id} frame={shownFrame} count={related} is3d={is3d} />}
          </Throttled>
        </div>
        <div className={classes['bottom']}>
          <Throttled frame={frame} isPlaying={isPlaying}>
            {review.hasTimeline && editor !== undefined && (
              <Suspense fallback={null}>
                <Timeline frames={frames} frame={frame} editor={editor} selected={review.selected} onStep={step} />
              </Suspense>
            )}
            {review.hasFilmstrip && !is3d && (
              <Filmstrip
                frames={frames}
                frame={frame}
                loader={loader}
                loaded={image.shown}
                isPlaying={isPlaying}
                onGo={onGo}
              />
            )}
            <Player
              frames={frames}
              frame={frame}
              isPlaying={isPlaying}
              speed={review.speed}
              hasFilmstrip={is3d ? undefined : review.hasFilmstrip}
              hasTimeline={review.hasTimeline}
              annotated={annotated}
              issues={issueFrames}
              keyframes={selectedObject?.keyframes ?? NO_KEYFRAMES}
              numberInput={numberInput}
              mayDelete={surroundings?.rights.deleteFrames === true}
              onAction={onAction}
              onGo={onGo}
              onSpeed={(speed) => step({ do: 'set', values: { speed } })}
            />
          </Throttled>
        </div>
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
          count={allObjects.length}
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
      {isPropagateOpen && (
        <PropagateDialog
          frames={frames}
          frame={frame}
          count={selected.length}
          onConfirm={(to) => editor?.propagate(selectedKeys, frame, to)}
          onClose={() => setPropagateOpen(false)}
        />
      )}
      <FilterDialog
        opened={isFilterOpen}
        filter={review.filter}
        labels={editor?.labels ?? NO_LABELS}
        found={objects.length}
        onChange={(filter) => step({ do: 'set', values: { filter } })}
        onClose={() => setFilterOpen(false)}
      />
      <StatisticsDialog
        opened={areStatisticsOpen}
        editor={editor}
        frames={frames}
        onClose={() => setStatisticsOpen(false)}
      />
      <FindFrameDialog opened={isFindFrameOpen} frames={frames} onGo={onGo} onClose={() => setFindFrameOpen(false)} />
      <SettingsDialog is3d={is3d} opened={isSettingsOpen} onClose={() => setSettingsOpen(false)} />
      <ShortcutsDialog dimension={job.dimension} opened={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  );
}

const never = (): number => 0;
const NO_KEYFRAMES: readonly number[] = [];

/** All objects of a frame with their colours, lowest layer first. */
function useObjects(
  editor: Editor | undefined,
  frame: number,
  { colorBy, colors, truth }: { readonly colorBy: ColorBy; readonly colors: Colors; readonly truth: GroundTruth },
): readonly ShownObject[] {
  const version = editor?.version();
  const { at: truthAt } = truth;
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the document of the editor is modified in place
  const objects = useMemo(() => editor?.index.at(frame), [editor, version, frame]);
  return useMemo(
    () =>
      objects === undefined
        ? NO_OBJECTS
        : [...objects.map((object) => ({ object, color: colorOf(object, colorBy, colors) })), ...truthAt(frame)],
    [objects, colorBy, colors, truthAt, frame],
  );
}

/** The objects that meet the filter. */
function useFiltered(objects: readonly ShownObject[], frame: number, review: Review): readonly ShownObject[] {
  const { filter, hidden, locked, pinned } = review;
  return useMemo(() => {
    if (completeConditions(filter).length === 0) return objects;
    return objects.filter(({ object }) => matchesFilter(object, frame, filter, { hidden, locked, pinned }));
  }, [objects, frame, filter, hidden, locked, pinned]);
}

function useAnnotatedFrames(editor: Editor | undefined): ReadonlySet<number> {
  const version = editor?.version();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- the document of the editor is modified in place
  return useMemo(() => editor?.index.annotatedFrames() ?? new Set<number>(), [editor, version]);
}

const NO_TYPES: readonly DrawnType[] = [];

/** The kinds of shapes in point clouds. */
const CLOUD_KINDS: readonly DrawnType[] = ['cuboid'];

/** The kinds that at least one label allows. */
const drawableTypes = (labels: readonly Label[], kinds: readonly DrawnType[]): readonly DrawnType[] =>
  kinds.filter((type) => labels.some((label) => allowsType(label, type)));

/** The label of the next drawing: the selected one if it suits the tool, otherwise the first that does. */
function useDrawingLabel(labels: readonly Label[] = [], { labelId, drawing }: Review): Label | undefined {
  const fitting = labels.filter((label) => allowsType(label, drawing));
  return fitting.find(({ id }) => id === labelId) ?? fitting[0];
}

/** Tags have no position in the frame, so they are shown in its corner. */
function TagsOf({ objects }: { readonly objects: readonly ShownObject[] }): ReactNode {
  const tags = objects.filter(({ object }) => object.kind === 'tag');
  if (tags.length === 0) return null;
  return (
    <ul className={classes['tags']} aria-label="Tags of the frame">
      {tags.map(({ object, color }) => (
        <li key={object.key} style={{ borderColor: color }}>
          {object.labelName}
        </li>
      ))}
    </ul>
  );
}
