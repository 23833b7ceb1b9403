import { Button, Group, Modal, NumberInput, SegmentedControl, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { counted } from '../../../components/counted';
import type { FrameSet } from '../frames/frame-set';

interface PropagateDialogProps {
  readonly frames: FrameSet;
  readonly frame: number;
  /** Number of objects to copy. */
  readonly count: number;
  /** Receives the frames to copy to. */
  readonly onConfirm: (frames: readonly number[]) => void;
  readonly onClose: () => void;
}

type Direction = 'following' | 'previous';

/** Asks to which frames the selected objects are copied. */
export function PropagateDialog({ frames, frame, count, onConfirm, onClose }: PropagateDialogProps): ReactNode {
  const [direction, setDirection] = useState<Direction>('following');
  const [number, setNumber] = useState(1);
  const isFollowing = direction === 'following';
  const kept = frames.numbers.filter((to) => !frames.isDeleted(to) && (isFollowing ? to > frame : to < frame));
  const targets = isFollowing ? kept.slice(0, number) : kept.slice(-number);
  return (
    <Modal opened onClose={onClose} title="Copy to other frames" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm(targets);
          onClose();
        }}
      >
        <Stack>
          <SegmentedControl
            aria-label="Direction"
            transitionDuration={0}
            data={[
              { value: 'previous', label: 'Previous frames' },
              { value: 'following', label: 'Following frames' },
            ]}
            value={direction}
            onChange={(value) => setDirection(value)}
          />
          <NumberInput
            label="Number of frames"
            min={1}
            max={Math.max(kept.length, 1)}
            allowDecimal={false}
            value={number}
            onChange={(value) => setNumber(Math.max(1, Number(value)))}
            data-autofocus
          />
          <Text size="sm" c="dimmed" role="status">
            {targets.length === 0
              ? `There are no ${direction} frames.`
              : `${counted(count, 'object')} will be copied to ${counted(targets.length, 'frame')}.`}
          </Text>
          <Group>
            <Button type="submit" disabled={targets.length === 0}>
              Copy
            </Button>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
