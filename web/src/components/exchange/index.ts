import { lazyDialog } from '../lazy-dialog';

export { exchangeTarget } from './target';
export const BackupDialog = lazyDialog(async () => (await import('./backup-dialog')).BackupDialog);
export const ExportDialog = lazyDialog(async () => (await import('./export-dialog')).ExportDialog);
export const ImportDialog = lazyDialog(async () => (await import('./import-dialog')).ImportDialog);
export const RestoreDialog = lazyDialog(async () => (await import('./restore-dialog')).RestoreDialog);
