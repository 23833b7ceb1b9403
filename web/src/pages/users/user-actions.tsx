import { useQueryClient } from '@tanstack/react-query';
import { unwrap } from 'cairn-client';
import { type ReactNode, useState } from 'react';
import { api, type User } from '../../app/api';
import { ActionsMenu, type MenuAction } from '../../components/actions-menu';
import { Confirm } from '../../components/confirm';
import { lazyDialog } from '../../components/lazy-dialog';
import { showProblem, showSuccess } from '../../components/notify';
import { updateUser } from './account';

const EditUserDialog = lazyDialog(async () => (await import('./user-dialogs')).EditUserDialog);
const ResetPasswordDialog = lazyDialog(async () => (await import('./user-dialogs')).ResetPasswordDialog);
const UserTokensDialog = lazyDialog(async () => (await import('./user-tokens')).UserTokensDialog);

interface UserActionsProps {
  readonly user: User;
  /** Administrators cannot lock themselves out. */
  readonly isSelf: boolean;
}

type Dialog = 'edit' | 'reset' | 'tokens' | 'disable' | 'end' | 'delete';

/** The menu of a user in the list, and its dialogs. */
export function UserActions({ user, isSelf }: UserActionsProps): ReactNode {
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const client = useQueryClient();
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['users'] });
  const close = (): void => setDialog(null);
  const enable = (): void => {
    updateUser(user.id, { is_active: true }).then(() => {
      showSuccess(`${user.username} can log in again.`);
      return refresh();
    }, showProblem);
  };
  const isActive = user.is_active !== false;
  const open = (title: string, icon: MenuAction['icon'], which: Dialog, isDangerous = false): MenuAction => ({
    title,
    icon,
    onClick: () => setDialog(which),
    isDangerous,
  });
  const ofOthers: MenuAction[] = [
    ...(isActive ? [open('Reset password', 'key', 'reset')] : []),
    open('Log out everywhere', 'logout', 'end'),
    isActive ? open('Disable', 'close', 'disable', true) : { title: 'Enable', icon: 'check', onClick: enable },
    open('Delete', 'trash', 'delete', true),
  ];
  return (
    <>
      <ActionsMenu
        of={user.username}
        actions={[open('Edit', 'edit', 'edit'), open('Access tokens', 'key', 'tokens'), ...(isSelf ? [] : ofOthers)]}
      />
      <EditUserDialog opened={dialog === 'edit'} onClose={close} user={user} isSelf={isSelf} />
      <ResetPasswordDialog opened={dialog === 'reset'} onClose={close} user={user} />
      <UserTokensDialog opened={dialog === 'tokens'} onClose={close} user={user} />
      <Confirmations user={user} dialog={dialog} onClose={close} onDone={refresh} />
    </>
  );
}

interface ConfirmationsProps {
  readonly user: User;
  readonly dialog: Dialog | null;
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}

function Confirmations({ user: { id, username }, dialog, onClose, onDone }: ConfirmationsProps): ReactNode {
  const params = { path: { id } };
  return (
    <>
      <Confirm
        opened={dialog === 'disable'}
        onClose={onClose}
        title={`Disable ${username}?`}
        text="Their sessions end, and their access tokens are refused. What they created stays. You can enable the account again."
        action="Disable"
        onConfirm={async () => {
          await updateUser(id, { is_active: false });
          await onDone();
        }}
      />
      <Confirm
        opened={dialog === 'end'}
        onClose={onClose}
        title={`Log out ${username} everywhere?`}
        text="All their sessions end. They can log in again. Access tokens stay valid."
        action="Log out everywhere"
        onConfirm={async () => {
          unwrap(await api.DELETE('/api/users/{id}/sessions', { params }));
          showSuccess(`All sessions of ${username} have ended.`);
        }}
      />
      <Confirm
        opened={dialog === 'delete'}
        onClose={onClose}
        title={`Delete ${username}?`}
        text="What they created stays, without an owner. This cannot be undone. To only prevent logins, disable the account."
        action="Delete"
        onConfirm={async () => {
          unwrap(await api.DELETE('/api/users/{id}', { params }));
          await onDone();
        }}
      />
    </>
  );
}
