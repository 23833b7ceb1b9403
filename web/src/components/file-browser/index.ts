export { CloudFiles, StorageSelect, useCloudStorages } from './cloud-files';
export type { FolderPage } from './file-browser';
export { FileBrowser } from './lazy-browser';
