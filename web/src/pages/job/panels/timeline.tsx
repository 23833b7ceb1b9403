import { Text } from '@mantine/core';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import type { Step } from '../data/review';
import type { Editor } from '../editing/editor';
import type { FrameSet } from '../frames/frame-set';
import { numberOf } from '../scene/object-list';
import { cleanColor } from '../scene/scene';
import { moved, Timeline as Times, type TimeView, zoomed } from '../scene/timeline';
import { TimelineStrip } from './timeline-strip';
import classes from './timeline.module.css';
import { useRowsInSight } from './use-rows-in-sight';

const ROW_HEIGHT = 26;
const WHEEL_STEP = 0.002;

interface TimelineProps {
  readonly frames: FrameSet;
  readonly frame: number;
  readonly editor: Editor;
  /** Keys of the selected objects. */
  readonly selected: readonly string[];
  readonly onStep: (step: Step) => void;
}

/** The keyframes of the selected tracks, or of all tracks if none is selected. */
export function Timeline({ frames, frame, editor, selected, onStep }: TimelineProps): ReactNode {
  const version = editor.version();
  const times = useMemo(() => new Times(frames.numbers), [frames]);
  const rows = useMemo(
    () => rowsOf(editor, times, selected),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the document of the editor is modified in place
    [editor, version, times, selected],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const { first, end } = useRowsInSight(scroller, rows.length, ROW_HEIGHT);
  const position = frames.position(frame);
  const [view, setView] = useTimeView(frames.count, position);
  useWheel(scroller, (event, at) => {
    const about = view.from + at * (view.to - view.from);
    if (event.deltaX !== 0 || event.shiftKey) {
      setView(moved(view, ((event.deltaX + event.deltaY) / 500) * (view.to - view.from), frames.count));
    } else setView(zoomed(view, Math.exp(-event.deltaY * WHEEL_STEP), about, frames.count));
  });
  return (
    <section className={classes['timeline']} aria-label="Keyframes" ref={scroller}>
      {rows.length === 0 && (
        <Text size="xs" c="dimmed" p={6}>
          This job has no tracks.
        </Text>
      )}
      <ul className={classes['rows']} style={{ height: rows.length * ROW_HEIGHT }}>
        {rows.slice(first, end).map((row, at) => (
          <li key={row.key} className={classes['row']} style={{ top: (first + at) * ROW_HEIGHT, height: ROW_HEIGHT }}>
            <button
              type="button"
              className={classes['name']}
              aria-pressed={selected.includes(row.key)}
              onClick={() => onStep({ do: 'select', key: selected.includes(row.key) ? null : row.key })}
            >
              <span className={classes['swatch']} style={{ background: row.color }} />
              <span className={classes['label']}>{row.name}</span>
            </button>
            <TimelineStrip
              name={row.name}
              color={row.color}
              times={row.times}
              view={view}
              frames={frames}
              position={position}
              onGo={(to) => onStep({ do: 'go', to: frames.numbers[to] ?? frame })}
              onZoom={(factor) => setView(zoomed(view, factor, position + 0.5, frames.count))}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function rowsOf(editor: Editor, times: Times, selected: readonly string[]) {
  const labels = new Map(editor.labels.map((label) => [label.id, label]));
  const tracks = Array.from(editor.document.entries()).flatMap(([key, object]) =>
    object.kind === 'track' ? [{ key, object }] : [],
  );
  const chosen = tracks.filter(({ key }) => selected.includes(key));
  return (chosen.length > 0 ? chosen : tracks).map(({ key, object }) => {
    const label = labels.get(object.value.label_id);
    const name = `${label?.name ?? 'track'} ${numberOf(editor.document.idOf(key) ?? 0)}`;
    return { key, name, color: cleanColor(label?.color ?? ''), times: times.of(object) };
  });
}

/** The visible part. It follows the current frame. */
function useTimeView(count: number, position: number): readonly [TimeView, (view: TimeView) => void] {
  const [view, setView] = useState<TimeView>({ from: 0, to: count });
  const [followed, setFollowed] = useState(position);
  if (followed !== position) {
    setFollowed(position);
    const isInSight = position >= view.from && position + 1 <= view.to;
    if (!isInSight) setView(moved(view, position - (view.from + view.to) / 2, count));
  }
  return [view, setView];
}

/** Handles the wheel over the strips. @param onWheel receives the position of the pointer, 0 to 1 */
function useWheel(scroller: RefObject<HTMLElement | null>, onWheel: (event: WheelEvent, at: number) => void): void {
  const current = useRef(onWheel);
  useEffect(() => {
    current.current = onWheel;
  });
  useEffect(() => {
    const listen = (event: WheelEvent): void => {
      const strip = event.target instanceof Element ? event.target.closest('[role="slider"]') : null;
      if (strip === null) return;
      event.preventDefault();
      const { left, width } = strip.getBoundingClientRect();
      current.current(event, (event.clientX - left) / width);
    };
    const element = scroller.current;
    element?.addEventListener('wheel', listen, { passive: false });
    return () => element?.removeEventListener('wheel', listen);
  }, [scroller]);
}
