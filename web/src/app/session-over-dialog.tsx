import { Anchor, getDefaultZIndex, Modal, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { LoginMethods } from '../components/login-methods';
import { api, noteLogin, type User } from './api';
import { useConnection } from './connection';
import { currentOrganization } from './current-organization';
import { SELF } from './session';

/** Asks to log in again in a dialog over the page, so that no input is lost. */
export function SessionOverDialog(): ReactNode {
  const { isSessionOver } = useConnection();
  const client = useQueryClient();
  const before = client.getQueryData<User | null>(SELF);
  const enter = (): void => {
    noteLogin(true);
    currentOrganization.set(currentOrganization.get());
    void client.invalidateQueries();
  };
  useOnLoginElsewhere(isSessionOver, enter);
  return (
    <Modal
      opened={isSessionOver}
      onClose={() => undefined}
      zIndex={getDefaultZIndex('overlay')} // over other dialogs
      title="Your session has expired"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      centered
    >
      <Text size="sm" mb="md">
        Log in again to continue. Your input is kept. You can also <Anchor href="/login">leave the page</Anchor>.
      </Text>
      <LoginMethods username={before?.username ?? ''} next="/" isInNewTab onLoggedIn={enter} />
    </Modal>
  );
}

/** Continues when the user returns to this tab after a login in another one, such as at the identity provider. */
function useOnLoginElsewhere(isWaiting: boolean, onLoggedIn: () => void): void {
  useEffect(() => {
    if (!isWaiting) return undefined;
    const check = (): void => {
      api.GET('/api/users/self', { headers: { 'X-Organization': '' } }).then(
        ({ response }) => (response.ok ? onLoggedIn() : undefined),
        () => undefined,
      );
    };
    window.addEventListener('focus', check);
    return () => window.removeEventListener('focus', check);
  });
}
