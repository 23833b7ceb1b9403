export { ExportDialog } from './export-dialog';
export { ImportDialog } from './import-dialog';
export { exchangeTarget } from './target';
