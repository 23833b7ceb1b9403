import { Drawer, NumberInput, Stack, Switch, Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { DisplaySettings } from './display-settings';
import { ImageSettings } from './image-settings';
import { changeSettings, DEFAULT_SETTINGS, type Settings, useSettings } from './settings';
import { ShortcutsSettings } from './shortcuts-settings';

interface SettingsDialogProps {
  /** Whether the frames are point clouds, which have no image to adjust. */
  readonly is3d: boolean;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The settings of the editor. They apply at once, so the canvas stays visible. */
export function SettingsDialog({ is3d, opened, onClose }: SettingsDialogProps): ReactNode {
  const settings = useSettings();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      title="Settings"
      position="right"
      size={440}
      overlayProps={{ backgroundOpacity: 0 }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Tabs defaultValue="display" keepMounted={false}>
        <Tabs.List grow mb="md">
          <Tabs.Tab value="display">Display</Tabs.Tab>
          {!is3d && <Tabs.Tab value="image">Image</Tabs.Tab>}
          <Tabs.Tab value="editing">Editing</Tabs.Tab>
          <Tabs.Tab value="shortcuts">Shortcuts</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="display">
          <DisplaySettings settings={settings} />
        </Tabs.Panel>
        {!is3d && (
          <Tabs.Panel value="image">
            <ImageSettings settings={settings} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="editing">
          <EditingSettings settings={settings} />
        </Tabs.Panel>
        <Tabs.Panel value="shortcuts">
          <ShortcutsSettings keys={settings.keys} />
        </Tabs.Panel>
      </Tabs>
    </Drawer>
  );
}

function EditingSettings({
  settings: { autosave, frameStep, areDeletedShown },
}: {
  readonly settings: Settings;
}): ReactNode {
  return (
    <Stack gap="md">
      <Switch
        label="Save automatically"
        description="Changes are also saved when you leave the page or switch to another tab."
        checked={autosave > 0}
        onChange={(event) => changeSettings({ autosave: event.currentTarget.checked ? DEFAULT_SETTINGS.autosave : 0 })}
      />
      {autosave > 0 && (
        <NumberInput
          label="Interval of automatic saving"
          description="In seconds"
          min={5}
          max={3600}
          allowDecimal={false}
          value={autosave}
          onChange={(value) =>
            typeof value === 'number' && value >= 5 ? changeSettings({ autosave: value }) : undefined
          }
        />
      )}
      <NumberInput
        label="Frames per step"
        description="How many frames the keys and buttons for several frames go"
        min={2}
        max={1000}
        allowDecimal={false}
        value={frameStep}
        onChange={(value) =>
          typeof value === 'number' && value >= 2 ? changeSettings({ frameStep: value }) : undefined
        }
      />
      <Switch
        label="Show deleted frames"
        description="When it is off, navigation skips them."
        checked={areDeletedShown}
        onChange={(event) => changeSettings({ areDeletedShown: event.currentTarget.checked })}
      />
    </Stack>
  );
}
