import { Anchor, Modal, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LoginForm } from '../components/login-form';
import { noteLogin, type User } from './api';
import { useConnection } from './connection';
import { currentOrganization } from './current-organization';
import { SELF } from './session';

/** Asks to log in again in a dialog over the page, so that no input is lost. */
export function SessionOverDialog(): ReactNode {
  const { isSessionOver } = useConnection();
  const client = useQueryClient();
  const before = client.getQueryData<User | null>(SELF);
  return (
    <Modal
      opened={isSessionOver}
      onClose={() => undefined}
      title="Your session has expired"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      centered
    >
      <Text size="sm" mb="md">
        Log in again to continue. Your input is kept. You can also <Anchor href="/login">leave the page</Anchor>.
      </Text>
      <LoginForm
        username={before?.username ?? ''}
        onLoggedIn={() => {
          noteLogin(true);
          currentOrganization.set(currentOrganization.get());
          void client.invalidateQueries();
        }}
      />
    </Modal>
  );
}
