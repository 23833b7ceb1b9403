import { lazyDialog } from '../lazy-dialog';

export { exchangeTarget } from './target';
export const ExportDialog = lazyDialog(async () => (await import('./export-dialog')).ExportDialog);
export const ImportDialog = lazyDialog(async () => (await import('./import-dialog')).ImportDialog);
