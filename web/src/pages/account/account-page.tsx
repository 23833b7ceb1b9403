import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { useUser } from '../../app/session';
import { Page } from '../../components/page';
import { PasswordForm } from './password-form';
import { ProfileForm } from './profile-form';
import { Tokens } from './tokens';

export function Component(): ReactNode {
  const user = useUser();
  const [params, setParams] = useSearchParams();
  return (
    <Page title="Account" subtitle={`Logged in as ${user.username}`} narrow>
      <Tabs
        value={params.get('show') ?? 'profile'}
        onChange={(value) => setParams(value === 'profile' || value === null ? {} : { show: value }, { replace: true })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="profile">Profile</Tabs.Tab>
          <Tabs.Tab value="password">Password</Tabs.Tab>
          <Tabs.Tab value="tokens">Access tokens</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="profile">
          <ProfileForm />
        </Tabs.Panel>
        <Tabs.Panel value="password">
          <PasswordForm />
        </Tabs.Panel>
        <Tabs.Panel value="tokens">
          <Tokens />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
