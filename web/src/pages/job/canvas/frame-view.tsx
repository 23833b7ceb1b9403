import { lazy, type ReactNode, Suspense } from 'react';
import type { CanvasContent, CanvasEvents, CloudContent, Pin } from './content';
import { FrameCanvas } from './frame-canvas';
import type { Display } from '../settings/settings';
import type { Stage } from './stage';
import type { ToolName } from './tools';

/** Loaded on demand: most jobs have images. */
const CloudCanvas = lazy(async () => ({ default: (await import('../point-cloud/cloud-canvas')).CloudCanvas }));

interface FrameViewProps extends CanvasEvents {
  /** Accessible name: what is visible, and where it is listed. */
  readonly name: string;
  readonly is3d: boolean;
  /** Null until the first frame is loaded. */
  readonly content: CanvasContent | CloudContent | null;
  readonly pins: readonly Pin[];
  readonly selected: readonly string[];
  readonly tool: ToolName;
  readonly display: Display;
  /** Whether vertices snap to outlines. */
  readonly snaps: boolean;
  readonly takesExtremePoints: boolean;
  readonly takesFourPoints: boolean;
  /** Receives the stage for direct calls, or null after unmounting. */
  readonly onStage: (stage: Stage | null) => void;
  /** Called when the browser cannot show point clouds. */
  readonly onFailure: () => void;
}

/** The frame with its annotations: an image on a canvas, or a point cloud in four views. */
export function FrameView({ is3d, content, onFailure, ...props }: FrameViewProps): ReactNode {
  if (!is3d) return <FrameCanvas {...props} content={content !== null && 'image' in content ? content : null} />;
  return (
    <Suspense fallback={null}>
      <CloudCanvas {...props} content={content !== null && 'cloud' in content ? content : null} onFailure={onFailure} />
    </Suspense>
  );
}
