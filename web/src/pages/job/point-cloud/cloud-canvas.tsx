import { Alert, Button, SegmentedControl, Slider } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { CanvasEvents, CloudContent } from '../canvas/content';
import type { ToolName } from '../canvas/tools';
import type { Display } from '../settings/settings';
import classes from './cloud-canvas.module.css';
import { CloudStage, VIEW_NAMES, type ViewName } from './cloud-stage';
import { hasColors, NoWebGl, type PointColors, type PointLook } from './point-renderer';

interface CloudCanvasProps extends CanvasEvents {
  /** Accessible name: what is visible, and where it is listed. */
  readonly name: string;
  /** Null until the first point cloud is loaded. */
  readonly content: CloudContent | null;
  readonly selected: readonly string[];
  readonly tool: ToolName;
  readonly display: Display;
  /** Receives the stage for direct calls, or null after unmounting. */
  readonly onStage: (stage: CloudStage | null) => void;
  /** Called when the browser has no WebGL 2. */
  readonly onFailure: () => void;
}

const TITLES: Readonly<Record<ViewName, string>> = {
  perspective: 'Perspective',
  top: 'Top',
  side: 'Side',
  front: 'Front',
};

/** The React component around the four views of a point cloud. */
export function CloudCanvas(props: CloudCanvasProps): ReactNode {
  const { name, content, selected, tool, display, onStage } = props;
  const [stage, setStage] = useState<CloudStage | null>(null);
  const [isImpossible, setImpossible] = useState(false);
  const [look, setLook] = useState<PointLook>({ colors: 'height', size: 2 });
  const canvas = useRef<HTMLCanvasElement>(null);
  const views = useRef<Partial<Record<ViewName, HTMLElement | null>>>({});
  const events = useRef(props);
  useEffect(() => {
    events.current = props;
  });
  useEffect(() => {
    const { perspective, top, side, front } = views.current;
    if (canvas.current === null || !perspective || !top || !side || !front) return;
    let created: CloudStage;
    try {
      created = new CloudStage(canvas.current, { perspective, top, side, front }, forwarding(events));
    } catch (error) {
      if (!(error instanceof NoWebGl)) throw error;
      setImpossible(true);
      events.current.onFailure();
      return;
    }
    setStage(created);
    onStage(created);
    return () => {
      onStage(null);
      created.destroy();
    };
  }, [onStage]);
  useEffect(() => {
    if (content !== null) stage?.show(content);
  }, [stage, content]);
  useEffect(() => stage?.setSelected(selected), [stage, selected]);
  useEffect(() => stage?.setTool(tool), [stage, tool]);
  useEffect(() => stage?.setDisplay(display), [stage, display]);
  useEffect(() => stage?.setLook(look), [stage, look]);
  const colorings = COLORINGS.filter(({ value }) => content !== null && hasColors(content.cloud, value));
  if (isImpossible) return <NoViews />;
  return (
    <div className={classes['work']} role="group" aria-label={name}>
      <canvas ref={canvas} className={classes['points']} aria-hidden="true" />
      {VIEW_NAMES.map((view) => (
        <div
          key={view}
          ref={(element) => {
            views.current[view] = element;
          }}
          className={classes['view']}
          data-view={view}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keys that move a view act on the one with the focus
          tabIndex={0}
          role="group"
          aria-label={`${TITLES[view]} view`}
        >
          <span className={classes['title']}>{TITLES[view]}</span>
        </div>
      ))}
      <div className={classes['options']}>
        {tool === 'cuboid' && (
          <Button size="compact-sm" onClick={() => stage?.placeInMiddle()}>
            Add cuboid in the middle
          </Button>
        )}
        {colorings.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label="Colour points by"
            transitionDuration={0}
            data={colorings}
            value={look.colors}
            onChange={(value) => setLook({ ...look, colors: value })}
          />
        )}
        <Slider
          className={classes['size'] ?? ''}
          size="sm"
          thumbLabel="Point size"
          label={(value) => `Point size ${value}`}
          min={1}
          max={8}
          value={look.size}
          onChange={(size) => setLook({ ...look, size })}
        />
      </div>
    </div>
  );
}

const COLORINGS: readonly { readonly value: PointColors; readonly label: string }[] = [
  { value: 'height', label: 'Height' },
  { value: 'intensity', label: 'Intensity' },
  { value: 'rgb', label: 'Colour' },
];

const forwarding = (events: { readonly current: CanvasEvents }): CanvasEvents => ({
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

const NoViews = (): ReactNode => (
  <div className={classes['fault']}>
    <Alert title="This browser cannot show point clouds" color="red">
      Point clouds need WebGL 2, which is not available or switched off. Turn on hardware acceleration in the settings
      of the browser, or use another browser. The objects of the job are listed on the right.
    </Alert>
  </div>
);
