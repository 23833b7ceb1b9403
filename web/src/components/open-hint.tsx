import { Tooltip } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';

const DELAY_MS = 400;

interface OpenHintProps {
  readonly label: string;
  readonly position: 'top' | 'right';
  /** The element that the pointer is on. */
  readonly target: HTMLElement;
  readonly onClose: () => void;
}

/** A tooltip that opens after a moment. Esc closes it. */
export function OpenHint({ label, position, target, onClose }: OpenHintProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOpen(true), DELAY_MS);
    const onKey = ({ key }: KeyboardEvent): void => (key === 'Escape' ? onClose() : undefined);
    document.addEventListener('keydown', onKey);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('keydown', onKey);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `onClose` does the same at any time
  }, []);
  return <Tooltip label={label} position={position} target={target} opened={isOpen} />;
}
