import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { FrameSet } from '../frames/frame-set';
import { barsIn, firstNotBelow, marksIn, type TrackTimes, type TimeView } from '../scene/timeline';
import classes from './timeline.module.css';

/** Maximum distance of a click from the keyframe that it goes to, in pixels. */
const REACH = 4;
const ZOOM_STEP = 2;

interface TimelineStripProps {
  readonly name: string;
  readonly color: string;
  readonly times: TrackTimes;
  readonly view: TimeView;
  readonly frames: FrameSet;
  /** Of the current frame. */
  readonly position: number;
  readonly onGo: (position: number) => void;
  readonly onZoom: (factor: number) => void;
}

/** The keyframes of one track as a slider: a bar where it is visible, a mark for each keyframe, a line for the frame. */
export function TimelineStrip(props: TimelineStripProps): ReactNode {
  const { name, color, times, view, frames, position, onGo, onZoom } = props;
  const { keyframes } = times;
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(canvas);
  useEffect(() => {
    if (canvas.current !== null) draw(canvas.current, size, times, view, position, color);
  }, [size, times, view, position, color]);

  const click = ({ clientX, currentTarget }: MouseEvent): void => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const perPixel = (view.to - view.from) / width;
    const wanted = view.from + (clientX - left) * perPixel;
    const nearest = nearestTo(keyframes, wanted - 0.5);
    const isNear = nearest !== undefined && Math.abs(nearest + 0.5 - wanted) <= REACH * perPixel;
    onGo(isNear ? nearest : Math.floor(wanted));
  };
  const moves: Readonly<Record<string, () => number | undefined>> = {
    ArrowLeft: () => position - 1,
    ArrowRight: () => position + 1,
    PageUp: () => keyframes[firstNotBelow(keyframes, position) - 1],
    PageDown: () => keyframes[firstNotBelow(keyframes, position + 1)],
    Home: () => keyframes[0],
    End: () => keyframes.at(-1),
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const zoom = { '+': ZOOM_STEP, '=': ZOOM_STEP, '-': 1 / ZOOM_STEP }[event.key];
    const move = moves[event.key];
    if (zoom === undefined && move === undefined) return;
    event.preventDefault();
    if (zoom !== undefined) onZoom(zoom);
    const to = move?.();
    if (to !== undefined && to >= 0 && to < frames.count) onGo(to);
  };
  const isKeyframe = keyframes[firstNotBelow(keyframes, position)] === position;
  return (
    <div
      className={classes['strip']}
      role="slider"
      tabIndex={0}
      aria-label={`Keyframes of ${name}`}
      aria-valuemin={frames.first}
      aria-valuemax={frames.last}
      aria-valuenow={frames.numbers[position] ?? frames.first}
      aria-valuetext={`Frame ${frames.numbers[position] ?? frames.first}${isKeyframe ? ', a keyframe' : ''}`}
      onClick={click}
      onKeyDown={press}
    >
      <canvas ref={canvas} aria-hidden="true" />
    </div>
  );
}

function nearestTo(ascending: readonly number[], wanted: number): number | undefined {
  const at = firstNotBelow(ascending, wanted);
  const [before, after] = [ascending[at - 1], ascending[at]];
  if (before === undefined || after === undefined) return before ?? after;
  return wanted - before <= after - wanted ? before : after;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function useSize(canvas: RefObject<HTMLCanvasElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 1, height: 1 });
  useEffect(() => {
    const element = canvas.current?.parentElement;
    if (element === null || element === undefined) return;
    const resizing = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    resizing.observe(element);
    return () => resizing.disconnect();
  }, [canvas]);
  return size;
}

function draw(
  canvas: HTMLCanvasElement,
  { width, height }: Size,
  { keyframes, ranges }: TrackTimes,
  view: TimeView,
  position: number,
  color: string,
): void {
  const context = canvas.getContext('2d');
  if (context === null || width === 0) return;
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  context.scale(ratio, ratio);
  const middle = height / 2;
  context.fillStyle = color;
  context.globalAlpha = 0.35;
  for (const [from, to] of barsIn(ranges, view, width)) context.fillRect(from, middle - 4, Math.max(to - from, 1), 8);
  context.globalAlpha = 1;
  context.beginPath();
  for (const x of marksIn(keyframes, view, width)) {
    context.moveTo(x + 0.5, middle - 5);
    context.lineTo(x + 4.5, middle);
    context.lineTo(x + 0.5, middle + 5);
    context.lineTo(x - 3.5, middle);
  }
  context.fill();
  context.strokeStyle = '#1a1206';
  context.globalAlpha = 0.5;
  context.lineWidth = 0.75;
  context.stroke();
  context.globalAlpha = 1;
  context.fillStyle = '#e0435c';
  const perFrame = width / (view.to - view.from);
  context.fillRect((position + 0.5 - view.from) * perFrame - 1, 0, 2, height);
}
