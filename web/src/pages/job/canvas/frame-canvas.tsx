import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import classes from '../job-page.module.css';
import type { Display } from '../settings/settings';
import { CanvasStage } from './canvas-stage';
import type { CanvasContent, CanvasEvents, Pin } from './content';
import { takeEarly } from './early-frame';
import type { ToolName } from './tools';

interface FrameCanvasProps extends CanvasEvents {
  /** Accessible name: what is visible, and where it is listed. */
  readonly name: string;
  /** Null until the first image is loaded. */
  readonly content: CanvasContent | null;
  readonly pins: readonly Pin[];
  readonly selected: readonly string[];
  readonly tool: ToolName;
  readonly display: Display;
  readonly snaps: boolean;
  readonly takesExtremePoints: boolean;
  readonly takesFourPoints: boolean;
  /** Receives the stage for direct calls, or null after unmounting. */
  readonly onStage: (stage: CanvasStage | null) => void;
}

/** The React component around the canvas. */
export function FrameCanvas(props: FrameCanvasProps): ReactNode {
  const { name, content, pins, selected, tool, display, snaps, takesExtremePoints, takesFourPoints, onStage } = props;
  const [stage, setStage] = useState<CanvasStage | null>(null);
  const container = useRef<HTMLDivElement>(null);
  const early = useRef<HTMLDivElement>(null);
  const events = useRef<CanvasEvents>(props);
  useEffect(() => {
    events.current = props;
  });
  useEffect(() => {
    if (container.current === null) return;
    const created = new CanvasStage(container.current, {
      onSelect: (key, adds) => events.current.onSelect(key, adds),
      onSelectAll: (keys) => events.current.onSelectAll(keys),
      onHover: (key) => events.current.onHover(key),
      onPaste: (at) => events.current.onPaste(at),
      onIssue: (id) => events.current.onIssue(id),
      onDraw: (type, points) => events.current.onDraw(type, points),
      onRedraw: (key, type) => events.current.onRedraw(key, type),
      onEdit: (key, edit) => events.current.onEdit(key, edit),
      onPinIssue: (position) => events.current.onPinIssue(position),
      onView: (view) => events.current.onView(view),
    });
    setStage(created);
    onStage(created);
    return () => {
      onStage(null);
      created.destroy();
    };
  }, [onStage]);
  useLayoutEffect(() => {
    const canvas = takeEarly();
    if (canvas !== undefined) early.current?.append(canvas);
  }, []);
  useEffect(() => stage?.setDisplay(display), [stage, display]);
  useEffect(() => {
    if (content === null || stage === null) return;
    stage.show(content);
    const { current } = early;
    for (const canvas of current?.children ?? []) canvas.removeAttribute('data-frame');
    requestAnimationFrame(() => current?.replaceChildren()); // the stage has drawn by now
  }, [stage, content]);
  useEffect(() => stage?.setPins(pins), [stage, pins]);
  useEffect(() => stage?.setSelected(selected), [stage, selected]);
  useEffect(() => stage?.setTool(tool), [stage, tool]);
  useEffect(
    () => stage?.setDrawing({ snaps, takesExtremePoints, takesFourPoints }),
    [stage, snaps, takesExtremePoints, takesFourPoints],
  );
  return (
    <>
      <div ref={early} className={classes['early']} aria-hidden="true" />
      <div ref={container} className={classes['canvas']} role="img" aria-label={name} />
    </>
  );
}
