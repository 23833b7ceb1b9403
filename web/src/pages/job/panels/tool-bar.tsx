import { ActionIcon, Divider } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { Hint } from '../../../components/hint';
import { Icon, type IconName } from '../../../components/icons';
import type { ToolName } from '../canvas/tools';
import type { Action } from '../data/actions';
import { DRAWN_TYPES, type DrawnType } from '../editing/sketch';
import classes from '../job-page.module.css';
import type { ModelTool } from '../models/use-model-tools';
import { useTitleWithKeys } from '../settings/use-shortcuts';

interface ToolButtonProps {
  readonly icon: IconName;
  readonly title: string;
  readonly tooltip: string;
  readonly isOn?: boolean;
  readonly onClick: () => void;
}

/** A toolbar button with its key in the tooltip. `isOn` makes it a toggle button. */
function ToolButton({ icon, title, tooltip, isOn, onClick }: ToolButtonProps): ReactNode {
  return (
    <Hint label={tooltip} position="right">
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
    </Hint>
  );
}

interface ToolBarProps {
  readonly tool: ToolName;
  readonly mayOpenIssue: boolean;
  readonly is3d: boolean;
  /** Whether there is something to move, zoom and click. */
  readonly hasView: boolean;
  /** The kinds that the user can draw. */
  readonly drawable: readonly DrawnType[];
  /** The tools that use functions. */
  readonly models: readonly ModelTool[];
  readonly areAllHidden: boolean;
  readonly isOriginal: boolean;
  readonly onAction: (action: Action) => void;
}

/** The tools, and below them view settings. */
export const ToolBar = memo(function ToolBar(props: ToolBarProps): ReactNode {
  const { tool, mayOpenIssue, is3d, hasView, drawable, models, areAllHidden, isOriginal, onAction } = props;
  const withKeys = useTitleWithKeys();
  const button = (icon: IconName, title: string, action: Action, isOn?: boolean): ReactNode => (
    <ToolButton
      key={action}
      icon={icon}
      title={title}
      tooltip={withKeys(title, action)}
      {...(isOn === undefined ? {} : { isOn })}
      onClick={() => onAction(action)}
    />
  );
  const toolButton = (name: Exclude<ToolName, 'slice' | 'clicks'>, icon: IconName, title: string): ReactNode =>
    button(icon, title, `${name}-tool`, tool === name);
  return (
    <div className={classes['tools']} role="toolbar" aria-label="Tools" aria-orientation="vertical">
      {hasView && (
        <>
          {toolButton('select', 'cursor', 'Select objects')}
          {toolButton('move', 'hand', 'Move the frame')}
        </>
      )}
      {DRAWN_TYPES.map((type) => (drawable.includes(type) ? toolButton(type, type, `Draw ${type}`) : null))}
      {drawable.includes('polygon') && toolButton('scissors', 'scissors', 'Draw polygon along edges')}
      {models.map(({ action, icon, title, isOn }) => button(icon, title, action, isOn))}
      {mayOpenIssue && toolButton('issue', 'pin', 'Add issue')}
      {!is3d && toolButton('ruler', 'ruler', 'Measure a distance')}
      {hasView && (
        <>
          <Divider my={4} w={24} />
          {button('fit', 'Fit frame to screen', 'fit')}
          {!is3d && button('actualSize', 'Actual size', 'actual-size')}
          {!is3d && button('rotate', 'Rotate the image clockwise', 'rotate-right')}
          <Divider my={4} w={24} />
          {button(areAllHidden ? 'eyeOff' : 'eye', 'Hide all annotations', 'hide-all', areAllHidden)}
        </>
      )}
      {!is3d && button('quality', 'Original quality', 'quality', isOriginal)}
      <div className={classes['spring']} />
      {button('chart', 'Statistics of the job', 'statistics')}
      {button('settings', 'Settings', 'settings')}
      {button('keyboard', 'Keyboard shortcuts', 'help')}
    </div>
  );
});
