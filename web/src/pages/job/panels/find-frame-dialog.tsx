import { Button, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useMemo, useState } from 'react';
import { counted } from '../../../components/counted';
import type { FrameSet } from '../frames/frame-set';

/** Number of results that are listed. */
const MOST = 50;

interface FindFrameDialogProps {
  readonly opened: boolean;
  readonly frames: FrameSet;
  readonly onGo: (frame: number) => void;
  readonly onClose: () => void;
}

/** Finds frames by parts of their file names. */
export function FindFrameDialog({ opened, frames, onGo, onClose }: FindFrameDialogProps): ReactNode {
  const [text, setText] = useState('');
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/);
    return frames.numbers.filter((number) => {
      const name = frames.info(number).name.toLowerCase();
      return words.every((word) => name.includes(word));
    });
  }, [frames, text]);
  const go = (frame: number | undefined): void => {
    if (frame === undefined) return;
    onGo(frame);
    onClose();
  };
  return (
    <Modal opened={opened} onClose={onClose} title="Find a frame" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go(found[0]);
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="File name"
            description="A part of it is enough. Enter opens the first result."
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            data-autofocus
          />
          <Text size="sm" c="dimmed" role="status">
            {found.length > MOST ? `The first ${MOST} of ${found.length} frames` : counted(found.length, 'frame')}
          </Text>
          <Stack gap={2} role="list" aria-label="Frames found">
            {found.slice(0, MOST).map((number) => (
              <div key={number} role="listitem">
                <Button variant="subtle" size="compact-sm" fullWidth justify="start" onClick={() => go(number)}>
                  {number}: {frames.info(number).name}
                  {frames.isDeleted(number) && ' (deleted)'}
                </Button>
              </div>
            ))}
          </Stack>
        </Stack>
      </form>
    </Modal>
  );
}
