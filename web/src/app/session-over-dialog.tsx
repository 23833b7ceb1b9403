import { Anchor, Button, getDefaultZIndex, Modal, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { LoginMethods } from '../components/login-methods';
import { showProblem } from '../components/notify';
import { noteLogin, sessionOwner, type User } from './api';
import { useConnection } from './connection';
import { currentOrganization } from './current-organization';
import { forgetDrafts } from './drafts';
import { SELF } from './session';

/**
 * Asks to log in again in a dialog over the page, so that no input is lost. If somebody else logs in, the page does not
 * continue: its input belongs to the first user.
 */
export function SessionOverDialog(): ReactNode {
  const { isSessionOver, otherUser } = useConnection();
  const client = useQueryClient();
  const before = client.getQueryData<User | null>(SELF)?.username ?? '';
  const enter = async (): Promise<void> => {
    if ((await sessionOwner.check()) !== 'owner') return;
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
      title={otherUser === null ? 'Your session has expired' : `You are logged in as ${otherUser}`}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      centered
    >
      {otherUser === null ? (
        <Text size="sm" mb="md">
          Log in again to continue. Your input is kept. You can also <Anchor href="/login">leave the page</Anchor>.
        </Text>
      ) : (
        <OtherUserNotice other={otherUser} owner={before} />
      )}
      <LoginMethods username={before} next="/" isInNewTab onLoggedIn={() => void enter().catch(showProblem)} />
    </Modal>
  );
}

interface OtherUserNoticeProps {
  readonly other: string;
  readonly owner: string;
}

function OtherUserNotice({ other, owner }: OtherUserNoticeProps): ReactNode {
  return (
    <>
      <Text size="sm">
        The changes on this page belong to {owner}. None of them are saved as {other}. This browser keeps unsaved
        annotations until {owner} opens their job again.
      </Text>
      <Button fullWidth variant="default" my="md" onClick={startAgain}>
        Load the page as {other}
      </Button>
      <Text size="sm" mb="md">
        To continue with all changes on this page, log in as {owner}.
      </Text>
    </>
  );
}

/** Loads the page for the user who is logged in now, without what the browser remembers of the other one. */
function startAgain(): void {
  forgetDrafts();
  currentOrganization.forget();
  window.location.reload();
}

/** Checks for a login in another tab, such as at the identity provider, when the user returns to this one. */
function useOnLoginElsewhere(isWaiting: boolean, enter: () => Promise<void>): void {
  useEffect(() => {
    if (!isWaiting) return undefined;
    const check = (): void => void enter().catch(() => undefined);
    window.addEventListener('focus', check);
    return () => window.removeEventListener('focus', check);
  });
}
