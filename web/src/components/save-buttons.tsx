import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';

interface SaveButtonsProps {
  readonly isChanged: boolean;
  readonly isSaving: boolean;
  readonly onDiscard: () => void;
}

/** Saves the form that they are in, or discards what was changed in it. */
export function SaveButtons({ isChanged, isSaving, onDiscard }: SaveButtonsProps): ReactNode {
  return (
    <Group>
      <Button type="submit" disabled={!isChanged} loading={isSaving}>
        Save
      </Button>
      {isChanged && (
        <Button variant="default" onClick={onDiscard}>
          Discard changes
        </Button>
      )}
    </Group>
  );
}
