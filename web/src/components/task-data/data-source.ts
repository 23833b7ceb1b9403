import type { DataParameters, UploadFile } from 'cairn-client';
import { framesOf, type UploadPlan } from '../../app/uploads';
import { type DataSettings, linesOf, sortingOf, toDataParameters } from './data-settings';

export type FileLocation = 'computer' | 'share' | 'cloud' | 'urls';

/** The source of a task's files, except the files of this computer themselves. */
export interface SourceChoice {
  readonly location: FileLocation;
  /** Paths in the shared folder. Those of folders end with a slash. */
  readonly shared: readonly string[];
  readonly storageId: number | null;
  /** Paths in the cloud storage. Those of folders end with a slash. */
  readonly stored: readonly string[];
  /** One per line. */
  readonly urls: string;
}

export const NO_SOURCE: SourceChoice = { location: 'computer', shared: [], storageId: null, stored: [], urls: '' };

/** Where the files of a task come from and how they are processed: a draft, for another attempt if the server refuses them. */
export interface FramesDraft {
  readonly source: SourceChoice;
  readonly settings: DataSettings;
}

/** @returns the name of the draft */
export const framesDraftOf = (taskId: number): string => `frames of task ${taskId}`;

/** @returns the number of selected files and folders */
export function countOf(source: SourceChoice, files: readonly UploadFile[]): number {
  switch (source.location) {
    case 'computer':
      return files.length;
    case 'share':
      return source.shared.length;
    case 'cloud':
      return source.storageId === null ? 0 : source.stored.length;
    case 'urls':
      return linesOf(source.urls).length;
  }
}

/** @returns the upload that sends the files to a task */
export function framesPlan(
  task: { readonly id: number; readonly name: string },
  source: SourceChoice,
  files: readonly UploadFile[],
  settings: DataSettings,
): UploadPlan {
  const sent = source.location === 'computer' ? files : [];
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

function elsewhere({ location, shared, storageId, stored, urls }: SourceChoice): DataParameters {
  if (location === 'share') return { server_files: [...shared], storage: 'share' };
  if (location === 'cloud') return { server_files: [...stored], cloud_storage_id: storageId, storage: 'cloud_storage' };
  return location === 'urls' ? { remote_files: linesOf(urls) } : {};
}
