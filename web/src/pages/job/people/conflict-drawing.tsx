import type { ReactNode } from 'react';
import { maskBitmap } from '#shared/annotations/mask';
import { maskOutlines } from '#shared/annotations/mask-outlines';
import { MASK_BOX, type Shape } from '#shared/annotations/model';
import { isSpatialCuboid } from '#shared/annotations/spatial-cuboid';
import { mediaPath } from '../frames/media-path';
import { boundsOf, type Drawing } from '../scene/drawing';
import { drawingOf } from './conflict-values';
import classes from './conflicts-dialog.module.css';

/** Around the object, as a share of its size. */
const MARGIN = 0.3;
const MIN_MARGIN = 15;
const DOT = 4;

interface ConflictDrawingProps {
  readonly name: string;
  readonly jobId: number;
  readonly frame: number;
  readonly color: string;
  readonly shape: Shape | undefined;
  /** The other version, whose outline is dashed. */
  readonly other: Shape | undefined;
}

/** One version of an object on its frame, next to the outline of the other version. */
export function ConflictDrawing({ name, jobId, frame, color, shape, other }: ConflictDrawingProps): ReactNode {
  const [drawings, others] = [drawingOf(shape), drawingOf(other)];
  const bounds = boundsOf([...drawings, ...others]);
  if (bounds === undefined) return null;
  const isCloud = isSpatialCuboid((shape ?? other)?.points ?? []);
  const [width, height] = [bounds.right - bounds.left, bounds.bottom - bounds.top];
  const margin = Math.max(isCloud ? 1 : MIN_MARGIN, MARGIN * Math.max(width, height));
  const box = [bounds.left - margin, bounds.top - margin, width + 2 * margin, height + 2 * margin];
  const dot = (DOT * Math.max(width, height, 1)) / 200;
  return (
    <svg className={classes['drawing']} viewBox={box.join(' ')} role="img" aria-label={name}>
      {!isCloud && <image href={mediaPath(jobId, { type: 'frame', number: frame, quality: 'compressed' })} />}
      <g fill="none" stroke="#fff" strokeDasharray="4 4" strokeWidth={1.5}>
        {others.map((drawing, at) => (
          <Outline key={at} drawing={drawing} dot={dot} />
        ))}
      </g>
      <g fill={color} fillOpacity={0.25} stroke={color} strokeWidth={2.5}>
        {drawings.map((drawing, at) => (
          <Outline key={at} drawing={drawing} dot={dot} />
        ))}
      </g>
    </svg>
  );
}

function Outline({ drawing, dot }: { readonly drawing: Drawing; readonly dot: number }): ReactNode {
  const style = { vectorEffect: 'non-scaling-stroke' } as const;
  switch (drawing.kind) {
    case 'path': {
      const { points, closed, filled } = drawing;
      return <path d={pathOf(points, closed)} {...style} {...(filled ? {} : { fill: 'none' })} />;
    }
    case 'ellipse': {
      const { cx, cy, rx, ry, angle } = drawing;
      const transform = `rotate(${(angle * 180) / Math.PI} ${cx} ${cy})`;
      return <ellipse cx={cx} cy={cy} rx={rx} ry={ry} transform={transform} {...style} />;
    }
    case 'dots':
      return pairs(drawing.points).map(([x, y], at) => <circle key={at} cx={x} cy={y} r={dot} {...style} />);
    case 'mask':
      return <path d={maskPath(drawing.points)} {...style} />;
  }
}

function maskPath(points: readonly number[]): string {
  const [left = 0, top = 0, right = 0, bottom = 0] = points.slice(-MASK_BOX);
  const bitmap = maskBitmap(points, { left, top, right, bottom });
  const outlines = bitmap === undefined ? undefined : maskOutlines(bitmap);
  const box = [left, top, right + 1, top, right + 1, bottom + 1, left, bottom + 1];
  return (outlines ?? [box]).map((outline) => pathOf(outline, true)).join('');
}

const pathOf = (points: readonly number[], closed: boolean): string =>
  `M${pairs(points)
    .map((pair) => pair.join(' '))
    .join('L')}${closed ? 'Z' : ''}`;

const pairs = (points: readonly number[]): [number, number][] =>
  Array.from({ length: points.length / 2 }, (_, at) => [points[at * 2] ?? 0, points[at * 2 + 1] ?? 0]);
