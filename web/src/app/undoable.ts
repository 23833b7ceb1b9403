import type { ImportReport } from './api';

/** Whether an import replaced annotations that can be restored. */
export const isUndoable = ({ restore_url: url, replaced }: ImportReport): boolean =>
  url !== null && Object.values(replaced).some((count) => count > 0);
