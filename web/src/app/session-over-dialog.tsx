import { Anchor, Modal, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { LoginForm } from '../components/login-form';
import { noteLogin, type User } from './api';
import { useConnection } from './connection';
import { currentOrganization } from './current-organization';
import { SELF } from './session';

/** Asks for the log-in over the page, so that nothing that was typed is lost. */
export function SessionOverDialog(): ReactNode {
  const { isSessionOver } = useConnection();
  const client = useQueryClient();
  const before = client.getQueryData<User | null>(SELF);
  return (
    <Modal
      opened={isSessionOver}
      onClose={() => undefined}
      title="Your session has ended"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      centered
    >
      <Text size="sm" mb="md">
        Log in again to go on. What you typed is still there. Or <Anchor href="/login">leave the page</Anchor>.
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
