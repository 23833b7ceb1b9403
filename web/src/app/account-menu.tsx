import { ActionIcon, Menu, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { displayName } from '../components/person';
import { Icon } from '../components/icons';
import { showProblem } from '../components/notify';
import { useOrganizations } from './organization-menu';
import { isAdministrator, useLogout, useUser } from './session';

export function AccountMenu(): ReactNode {
  const user = useUser();
  const logOut = useLogout();
  const navigate = useNavigate();
  const { data: organizations = [] } = useOrganizations();
  const seesAudit = isAdministrator(user) || organizations.some(({ owner }) => owner?.id === user.id);
  const leave = (): void => {
    logOut().then((isHere) => (isHere ? navigate('/login') : undefined), showProblem);
  };
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <ActionIcon variant="light" radius="xl" size={34} aria-label={`Account of ${user.username}`}>
          <Icon name="user" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)">
            {displayName(user)}
          </Text>
          {user.email}
        </Menu.Label>
        <Menu.Item component={Link} to="/account" leftSection={<Icon name="user" size={16} />}>
          Account
        </Menu.Item>
        <Menu.Item component={Link} to="/organizations" leftSection={<Icon name="organization" size={16} />}>
          Organizations
        </Menu.Item>
        {isAdministrator(user) && (
          <Menu.Item component={Link} to="/users" leftSection={<Icon name="user" size={16} />}>
            Users
          </Menu.Item>
        )}
        {isAdministrator(user) && (
          <Menu.Item component={Link} to="/server" leftSection={<Icon name="chart" size={16} />}>
            Server
          </Menu.Item>
        )}
        {seesAudit && (
          <Menu.Item component={Link} to="/audit" leftSection={<Icon name="search" size={16} />}>
            Audit log
          </Menu.Item>
        )}
        <Menu.Item component="a" href="/api/docs/" leftSection={<Icon name="external" size={16} />}>
          API reference
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item onClick={leave} leftSection={<Icon name="logout" size={16} />}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
