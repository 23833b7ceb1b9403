import { ActionIcon, Button, Menu } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { Icon, type IconName } from './icons';

export interface MenuAction {
  readonly title: string;
  readonly icon: IconName;
  readonly onClick: () => void;
  readonly isDangerous?: boolean;
}

interface ActionsMenuProps {
  /** The object of the actions. */
  readonly of: string;
  readonly actions: readonly MenuAction[];
  /** Shows a button with a label instead of three dots. */
  readonly wide?: boolean;
}

/** A menu of actions, hidden if there are none. */
export function ActionsMenu({ of, actions, wide = false }: ActionsMenuProps): ReactNode {
  const target = useRef<HTMLButtonElement>(null);
  const act = (onClick: () => void): void => {
    target.current?.focus(); // a dialog that opens returns the focus here, as the menu item is gone then
    onClick();
  };
  if (actions.length === 0) return null;
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        {wide ? (
          <Button
            ref={target}
            variant="default"
            rightSection={<Icon name="chevronDown" size={14} />}
            aria-label={`Actions for ${of}`}
          >
            Actions
          </Button>
        ) : (
          <ActionIcon ref={target} variant="subtle" color="gray" aria-label={`Actions for ${of}`}>
            <Icon name="dots" />
          </ActionIcon>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ title, icon, onClick, isDangerous = false }) => (
          <Menu.Item
            key={title}
            leftSection={<Icon name={icon} size={16} />}
            onClick={() => act(onClick)}
            {...(isDangerous ? { c: 'var(--mantine-color-error)' } : {})}
          >
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
