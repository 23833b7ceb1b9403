import type { StoredChange } from '#shared/annotations/editing/document';
import { labeledData } from '#shared/annotations/editing/edited-object';

/** Saves unsaved annotations as a file in the format of the API. Deletions are not part of it. */
export function downloadUnsaved(jobId: number, changes: readonly StoredChange[]): void {
  const data = labeledData(changes.flatMap(({ object }) => (object === undefined ? [] : [{ id: null, object }])));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(data, undefined, 2)], { type: 'application/json' }));
  link.download = `unsaved-annotations-of-job-${jobId}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}
