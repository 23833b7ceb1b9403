import { Button, NumberInput, Stack, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { Range } from './fields';
import { changeSettings, DEFAULT_SETTINGS, type Settings } from './settings';

/** How the image of a frame is drawn. */
export function ImageSettings({ settings: { image, isSmooth, grid } }: { readonly settings: Settings }): ReactNode {
  const adjust = (change: Partial<Settings['image']>): void => changeSettings({ image: { ...image, ...change } });
  const setGrid = (change: Partial<Settings['grid']>): void => changeSettings({ grid: { ...grid, ...change } });
  return (
    <Stack gap="md">
      {(['brightness', 'contrast', 'saturation'] as const).map((name) => (
        <Range
          key={name}
          label={`${name.charAt(0).toUpperCase()}${name.slice(1)}`}
          unit="%"
          max={name === 'saturation' ? 300 : 200}
          step={5}
          value={image[name]}
          onChange={(value) => adjust({ [name]: value })}
        />
      ))}
      <Range label="Gamma" min={0.2} max={3} step={0.1} value={image.gamma} onChange={(gamma) => adjust({ gamma })} />
      <Button
        variant="default"
        disabled={Object.entries(DEFAULT_SETTINGS.image).every(([name, value]) => image[name as 'gamma'] === value)}
        onClick={() => changeSettings({ image: DEFAULT_SETTINGS.image })}
      >
        Reset image adjustments
      </Button>
      <Switch
        label="Smooth the image above 400 %"
        description="When it is off, you see the exact pixels."
        checked={isSmooth}
        onChange={(event) => changeSettings({ isSmooth: event.currentTarget.checked })}
      />
      <Switch
        label="Grid"
        checked={grid.isShown}
        onChange={(event) => setGrid({ isShown: event.currentTarget.checked })}
      />
      {grid.isShown && (
        <>
          <NumberInput
            label="Distance of grid lines"
            description="In pixels of the image"
            min={2}
            max={1000}
            allowDecimal={false}
            clampBehavior="strict"
            value={grid.size}
            onChange={(size) => (typeof size === 'number' && size >= 2 ? setGrid({ size }) : undefined)}
          />
          <Range
            label="Opacity of the grid"
            unit="%"
            min={5}
            max={100}
            step={5}
            value={Math.round(grid.opacity * 100)}
            onChange={(value) => setGrid({ opacity: value / 100 })}
          />
        </>
      )}
    </Stack>
  );
}
