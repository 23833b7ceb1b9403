export { DEFAULT_SETTINGS, toTaskSettings } from './data-settings';
export { DataSettingsForm } from './data-settings-form';
export { countOf, type FramesDraft, framesDraftOf, framesPlan, NO_SOURCE } from './data-source';
export { DataSourceForm } from './data-source-form';
