import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useUser } from '../../app/session';
import { Page } from '../../components/page';
import { PageTabs } from '../../components/page-tabs';
import { PasswordForm } from './password-form';
import { ProfileForm } from './profile-form';
import { Tokens } from './tokens';

export function Component(): ReactNode {
  const user = useUser();
  return (
    <Page title="Account" subtitle={`Logged in as ${user.username}`} narrow>
      <PageTabs titles={{ profile: 'Profile', password: 'Password', tokens: 'Access tokens' }}>
        <Tabs.Panel value="profile">
          <ProfileForm />
        </Tabs.Panel>
        <Tabs.Panel value="password">
          <PasswordForm />
        </Tabs.Panel>
        <Tabs.Panel value="tokens">
          <Tokens />
        </Tabs.Panel>
      </PageTabs>
    </Page>
  );
}
