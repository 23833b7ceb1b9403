import type { ByteRange, ObjectInfo, OpenObject } from '../../engines/object-storage/s3-objects.js';

export type { ByteRange, ObjectInfo, OpenObject };

/**
 * A place for the files of the installation: the data folder or a bucket. Keys are paths with slashes, the same in every
 * place: `media/12/raw/a.jpg`. A file appears when it is complete.
 *
 * Uploads in pieces, below `uploads/` and `imports/`, grow: `append` adds a piece to the end. All other methods treat what
 * has been received so far as the file.
 *
 * Every method throws MediaStorageUnavailable or MediaStorageFull if the place fails.
 */
export interface MediaPlace {
  /** `s3://bucket/prefix`, or empty for the data folder. */
  readonly url: string;
  /** Whether an upload without bytes leaves no trace here, although it was announced. */
  readonly growsFromNothing: boolean;
  /** @returns undefined if there is no such file */
  info(key: string): Promise<ObjectInfo | undefined>;
  /** @returns undefined if there is no such file */
  open(key: string, range?: ByteRange): Promise<OpenObject | undefined>;
  /** Creates or replaces a file. Returns when it is durable. */
  put(key: string, content: Buffer): Promise<void>;
  /** Stores a file of this machine. @param options `keep`: does not remove the original */
  putFile(key: string, file: string, options?: { readonly keep?: boolean }): Promise<void>;
  /** Writes the file to this machine's disk. @returns false if there is no such file */
  download(key: string, target: string): Promise<boolean>;
  /** @returns false if there is no file to copy */
  copy(from: string, to: string): Promise<boolean>;
  /** Does nothing for a missing file. */
  remove(key: string): Promise<void>;
  /** Removes all files below a folder. @param folder ends with `/` */
  removeFolder(folder: string): Promise<void>;
  /** Yields all complete files below a folder, and uploads, once each. @param folder ends with `/`, or is empty */
  list(folder: string): AsyncIterable<ObjectInfo>;
  /** Yields the names of what is directly below a folder. @param folder ends with `/` */
  names(folder: string): AsyncIterable<string>;
  /** Announces an upload. */
  begin(key: string): Promise<void>;
  /**
   * Appends to an upload. The caller holds the upload's lock and has compared the offset with `info`. Bytes received before
   * an error are kept.
   * @param take called with each number of bytes before they are stored; throws to end the piece
   * @returns the new offset
   */
  append(key: string, offset: number, body: AsyncIterable<Buffer>, take: (end: number) => void): Promise<number>;
}

/** The folders below which files grow. */
export const isUpload = (key: string): boolean => key.startsWith('uploads/') || key.startsWith('imports/');
