import { type ReactNode, useSyncExternalStore } from 'react';
import classes from '../job-page.module.css';

/** Screen pixels for each pixel of the image. Zooming changes it with every frame, so only the badge renders again. */
export class ZoomLevel {
  private scale = 1;
  private readonly listeners = new Set<() => void>();

  set(scale: number): void {
    if (scale === this.scale) return;
    this.scale = scale;
    for (const listener of this.listeners) listener();
  }

  readonly get = (): number => this.scale;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
}

export function ZoomBadge({ level }: { readonly level: ZoomLevel }): ReactNode {
  const scale = useSyncExternalStore(level.subscribe, level.get);
  return (
    <div className={classes['zoom']} aria-hidden="true">
      {Math.round(scale * 100)} %
    </div>
  );
}
