export { DEFAULT_SETTINGS, selectionParameters, NO_VALIDATION, toTaskSettings } from './data-settings';
export { DataSettingsForm } from './data-settings-form';
export { countOf, framesPlan, NO_SOURCE } from './data-source';
export { DataSourceForm } from './data-source-form';
