import { lazyDialog } from '../../../components/lazy-dialog';

export const SettingsDialog = lazyDialog(async () => (await import('./settings-dialog')).SettingsDialog);
export const ShortcutsDialog = lazyDialog(async () => (await import('./shortcuts-dialog')).ShortcutsDialog);
