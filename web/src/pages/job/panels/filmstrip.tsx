import { type ReactNode, useEffect, useRef } from 'react';
import type { FrameSet } from '../frames/frame-set';
import type { MediumLoader } from '../frames/opening';
import { isPointCloud } from '../point-cloud/point-cloud';
import classes from './filmstrip.module.css';

/** Number of frames on each side of the current one. */
const REACH = 6;
const HEIGHT = 54;

interface FilmstripProps {
  readonly frames: FrameSet;
  readonly frame: number;
  readonly loader: MediumLoader | null;
  /** Changes when more images may be available. */
  readonly loaded: unknown;
  readonly isPlaying: boolean;
  readonly onGo: (frame: number) => void;
}

/** Thumbnails of adjacent frames that are loaded already. */
export function Filmstrip({ frames, frame, loader, loaded, isPlaying, onGo }: FilmstripProps): ReactNode {
  const position = frames.position(frame);
  const first = Math.max(0, Math.min(position - REACH, frames.count - 2 * REACH - 1));
  const shown = frames.numbers.slice(first, first + 2 * REACH + 1);
  return (
    <ol className={classes['strip']} aria-label="Adjacent frames">
      {shown.map((number) => (
        <li key={number}>
          <button
            type="button"
            className={classes['still']}
            aria-label={`Frame ${number}`}
            aria-current={number === frame ? 'true' : undefined}
            data-deleted={frames.isDeleted(number) || undefined}
            onClick={() => onGo(number)}
          >
            <Still frames={frames} number={number} loader={loader} loaded={loaded} isPlaying={isPlaying} />
            <span>{number}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

type StillProps = Pick<FilmstripProps, 'frames' | 'loader' | 'loaded' | 'isPlaying'> & { readonly number: number };

function Still({ frames, number, loader, loaded, isPlaying }: StillProps): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null);
  /** The loader whose image is drawn. */
  const drawn = useRef<MediumLoader>(null);
  const { width, height } = frames.info(number);
  useEffect(() => {
    if (loader === null || drawn.current === loader) return;
    // Playback needs the decoder itself.
    const image = loader.image(number, !isPlaying);
    if (image === undefined) return;
    let isCurrent = true;
    const draw = async (): Promise<void> => {
      const source = await image;
      if (isPointCloud(source)) return;
      const small = await createImageBitmap(source, { resizeHeight: HEIGHT, resizeQuality: 'medium' });
      const context = isCurrent ? canvas.current?.getContext('2d') : undefined;
      if (context !== null && context !== undefined) {
        context.canvas.width = small.width;
        context.canvas.height = small.height;
        context.drawImage(small, 0, 0);
        drawn.current = loader;
      }
      small.close();
    };
    // An image that cannot be decoded stays blank here. The canvas shows the error.
    draw().catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [loader, number, loaded, isPlaying]);
  const shownWidth = Math.max(24, Math.min(160, Math.round((HEIGHT * width) / height)));
  return <canvas ref={canvas} style={{ width: shownWidth, height: HEIGHT }} aria-hidden="true" />;
}
