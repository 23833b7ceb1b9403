import { ActionIcon, Divider, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../../../components/icons';
import type { ToolName } from '../canvas/tools';
import type { Action } from '../data/shortcuts';
import { DRAWN_TYPES, type DrawnType } from '../editing/sketch';
import classes from '../job-page.module.css';

interface ToolButtonProps {
  readonly icon: IconName;
  readonly title: string;
  readonly keys: string;
  readonly isOn?: boolean;
  readonly onClick: () => void;
}

/** A toolbar button with its key in the tooltip. `isOn` makes it a toggle button. */
function ToolButton({ icon, title, keys, isOn, onClick }: ToolButtonProps): ReactNode {
  return (
    <Tooltip label={`${title} (${keys})`} position="right" openDelay={400}>
      <ActionIcon
        size={36}
        variant={isOn === true ? 'filled' : 'subtle'}
        color={isOn === true ? 'slate' : 'gray'}
        aria-label={title}
        {...(isOn === undefined ? {} : { 'aria-pressed': isOn })}
        onClick={onClick}
      >
        <Icon name={icon} size={20} />
      </ActionIcon>
    </Tooltip>
  );
}

interface ToolBarProps {
  readonly tool: ToolName;
  readonly mayOpenIssue: boolean;
  /** The kinds that the user can draw. */
  readonly drawable: readonly DrawnType[];
  readonly areAllHidden: boolean;
  readonly isOriginal: boolean;
  readonly onAction: (action: Action) => void;
}

/** The tools, and below them view settings. */
export function ToolBar(props: ToolBarProps): ReactNode {
  const { tool, mayOpenIssue, drawable, areAllHidden, isOriginal, onAction } = props;
  const toolButton = (name: ToolName, icon: IconName, title: string, keys: string): ReactNode => (
    <ToolButton
      key={name}
      icon={icon}
      title={title}
      keys={keys}
      isOn={tool === name}
      onClick={() => onAction(`${name}-tool`)}
    />
  );
  return (
    <div className={classes['tools']} role="toolbar" aria-label="Tools" aria-orientation="vertical">
      {toolButton('select', 'cursor', 'Select objects', 'S')}
      {toolButton('move', 'hand', 'Move the frame', 'Shift + M')}
      {DRAWN_TYPES.map((type, at) =>
        drawable.includes(type) ? toolButton(type, type, `Draw ${type}`, `Alt + ${at + 1}`) : null,
      )}
      {mayOpenIssue && toolButton('issue', 'pin', 'Add issue', 'I')}
      <Divider my={4} w={24} />
      <ToolButton icon="fit" title="Fit frame to screen" keys="0" onClick={() => onAction('fit')} />
      <ToolButton icon="actualSize" title="Actual size" keys="1" onClick={() => onAction('actual-size')} />
      <Divider my={4} w={24} />
      <ToolButton
        icon={areAllHidden ? 'eyeOff' : 'eye'}
        title="Hide all annotations"
        keys="Shift + H"
        isOn={areAllHidden}
        onClick={() => onAction('hide-all')}
      />
      <ToolButton
        icon="quality"
        title="Original quality"
        keys="Shift + Q"
        isOn={isOriginal}
        onClick={() => onAction('quality')}
      />
      <div className={classes['spring']} />
      <ToolButton icon="keyboard" title="Keyboard shortcuts" keys="?" onClick={() => onAction('help')} />
    </div>
  );
}
