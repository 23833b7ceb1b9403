import { Checkbox, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ColorBy } from '../scene/scene';
import { Choice, Range } from './fields';
import { changeSettings, type Settings, type TextSettings } from './settings';

/** How objects are drawn. */
export function DisplaySettings({ settings }: { readonly settings: Settings }): ReactNode {
  const { texts } = settings;
  const setTexts = (change: Partial<TextSettings>): void => changeSettings({ texts: { ...texts, ...change } });
  return (
    <Stack gap="md">
      <Choice
        label="Colour by"
        data={[
          { value: 'label', label: 'Label' },
          { value: 'object', label: 'Object' },
          { value: 'group', label: 'Group' },
        ]}
        value={settings.colorBy}
        onChange={(value) => changeSettings({ colorBy: value as ColorBy })}
      />
      <Range
        label="Opacity"
        unit="%"
        max={100}
        step={5}
        value={Math.round(settings.fill * 100)}
        onChange={(value) => changeSettings({ fill: value / 100 })}
      />
      <Range
        label="Opacity of selected objects"
        unit="%"
        max={100}
        step={5}
        value={Math.round(settings.selectedFill * 100)}
        onChange={(value) => changeSettings({ selectedFill: value / 100 })}
      />
      <Range
        label="Width of outlines"
        unit="px"
        min={0.5}
        max={6}
        step={0.25}
        value={settings.outline}
        onChange={(outline) => changeSettings({ outline })}
      />
      <Choice
        label="Texts next to"
        data={[
          { value: 'none', label: 'No object' },
          { value: 'selected', label: 'Selected objects' },
          { value: 'all', label: 'All objects' },
        ]}
        value={texts.which}
        onChange={(value) => setTexts({ which: value as TextSettings['which'] })}
      />
      {texts.which !== 'none' && (
        <>
          <Group gap="md">
            <Checkbox
              label="Label"
              checked={texts.hasLabel}
              onChange={(event) => setTexts({ hasLabel: event.currentTarget.checked })}
            />
            <Checkbox
              label="ID"
              checked={texts.hasId}
              onChange={(event) => setTexts({ hasId: event.currentTarget.checked })}
            />
            <Checkbox
              label="Attributes"
              checked={texts.hasAttributes}
              onChange={(event) => setTexts({ hasAttributes: event.currentTarget.checked })}
            />
            <Checkbox
              label="Source"
              checked={texts.hasSource}
              onChange={(event) => setTexts({ hasSource: event.currentTarget.checked })}
            />
          </Group>
          <Choice
            label="Position of texts"
            data={[
              { value: 'above', label: 'Above the object' },
              { value: 'inside', label: 'Inside' },
            ]}
            value={texts.where}
            onChange={(value) => setTexts({ where: value as TextSettings['where'] })}
          />
          <Range
            label="Size of texts"
            unit="px"
            min={8}
            max={32}
            value={texts.size}
            onChange={(size) => setTexts({ size })}
          />
        </>
      )}
    </Stack>
  );
}
