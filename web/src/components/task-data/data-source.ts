import type { DataParameters, UploadFile } from 'cairn-client';
import { framesOf, type UploadPlan } from '../../app/uploads';
import { type DataSettings, linesOf, sortingOf, toDataParameters } from './data-settings';

export type Place = 'computer' | 'share' | 'cloud' | 'addresses';

/** What a task is made of, but for the files of this computer. */
export interface SourceChoice {
  readonly place: Place;
  /** Paths of files, and of folders with a slash at the end, in the shared folder. */
  readonly shared: readonly string[];
  readonly storageId: number | null;
  /** The same in the cloud storage. */
  readonly stored: readonly string[];
  /** One a line. */
  readonly addresses: string;
}

export const NO_SOURCE: SourceChoice = { place: 'computer', shared: [], storageId: null, stored: [], addresses: '' };

/** How many files or folders are chosen. */
export function countOf(source: SourceChoice, files: readonly UploadFile[]): number {
  switch (source.place) {
    case 'computer':
      return files.length;
    case 'share':
      return source.shared.length;
    case 'cloud':
      return source.storageId === null ? 0 : source.stored.length;
    case 'addresses':
      return linesOf(source.addresses).length;
  }
}

/** How the files come into a task. */
export function framesPlan(
  task: { readonly id: number; readonly name: string },
  source: SourceChoice,
  files: readonly UploadFile[],
  settings: DataSettings,
): UploadPlan {
  const sent = source.place === 'computer' ? files : [];
  const order = sortingOf(settings) === 'predefined' ? { upload_file_order: sent.map(({ name }) => name) } : {};
  return {
    key: framesOf(task.id),
    title: task.name,
    page: `/tasks/${task.id}`,
    purpose: 'frames',
    collection: `/api/tasks/${task.id}/data/`,
    files: sent,
    body: { ...toDataParameters(settings), ...elsewhere(source), ...(sent.length > 0 ? order : {}) },
  };
}

function elsewhere({ place, shared, storageId, stored, addresses }: SourceChoice): DataParameters {
  if (place === 'share') return { server_files: [...shared], storage: 'share' };
  if (place === 'cloud') return { server_files: [...stored], cloud_storage_id: storageId, storage: 'cloud_storage' };
  return place === 'addresses' ? { remote_files: linesOf(addresses) } : {};
}
