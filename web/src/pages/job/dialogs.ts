import { lazyDialog } from '../../components/lazy-dialog';

export const ConflictsDialog = lazyDialog(async () => (await import('./people/conflicts-dialog')).ConflictsDialog);
export const FilterDialog = lazyDialog(async () => (await import('./panels/filter-dialog')).FilterDialog);
export const FindFrameDialog = lazyDialog(async () => (await import('./panels/find-frame-dialog')).FindFrameDialog);
export const SettingsDialog = lazyDialog(async () => (await import('./settings/settings-dialog')).SettingsDialog);
export const ShortcutsDialog = lazyDialog(async () => (await import('./settings/shortcuts-dialog')).ShortcutsDialog);
export const StatisticsDialog = lazyDialog(async () => (await import('./panels/statistics-dialog')).StatisticsDialog);
