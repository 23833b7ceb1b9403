import { cloneElement, lazy, type MouseEvent, type ReactElement, type ReactNode, Suspense, useState } from 'react';

// Loaded when the pointer is first on a button.
const OpenHint = lazy(async () => ({ default: (await import('./open-hint')).OpenHint }));

interface HintProps {
  readonly label: string;
  readonly position?: 'top' | 'right';
  /** An element that passes mouse events on. */
  readonly children: ReactElement<{
    onMouseEnter?: (event: MouseEvent<HTMLElement>) => void;
    onMouseLeave?: () => void;
  }>;
}

/**
 * A tooltip that is rendered only while the pointer is on its element: the tooltips of all buttons of the job page would
 * take a tenth of the time in which the page opens.
 */
export function Hint({ label, position = 'top', children }: HintProps): ReactNode {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  return (
    <>
      {cloneElement(children, {
        onMouseEnter: ({ currentTarget }) => setTarget(currentTarget),
        onMouseLeave: () => setTarget(null),
      })}
      {target !== null && (
        <Suspense fallback={null}>
          <OpenHint label={label} position={position} target={target} onClose={() => setTarget(null)} />
        </Suspense>
      )}
    </>
  );
}
