import { Button, Menu } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { SPEEDS, type Speed } from '../data/review';

interface SpeedMenuProps {
  readonly speed: Speed;
  readonly onSpeed: (speed: Speed) => void;
}

/** Selects how fast frames are played. */
export const SpeedMenu = memo(({ speed, onSpeed }: SpeedMenuProps): ReactNode => (
  <Menu position="top" width={100} returnFocus={false}>
    <Menu.Target>
      <Button
        variant="subtle"
        color="gray"
        w={54}
        h={32}
        px={4}
        aria-label={`Playback speed: ${speed}×`}
        title="Playback speed (< and >)"
      >
        {speed}×
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.RadioGroup
        value={String(speed)}
        onChange={(value) => onSpeed(SPEEDS.find((one) => String(one) === value) ?? 1)}
      >
        {SPEEDS.map((one) => (
          <Menu.RadioItem key={one} value={String(one)} closeMenuOnClick>
            {one}×
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </Menu.Dropdown>
  </Menu>
));
