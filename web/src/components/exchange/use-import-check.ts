import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ImportReport } from '../../app/api';
import { type Upload, uploads, useUpload } from '../../app/uploads';
import { check, type ImportSource, upload } from './import-requests';
import type { ExchangeTarget } from './target';

/** A dry run of an import. */
export interface ImportCheck {
  readonly isPending: boolean;
  readonly report: ImportReport | null;
  /** The upload of a file from this computer. */
  readonly upload: Upload | undefined;
  readonly error: unknown;
  /** Whether the server has this file, so that it need not be sent again. */
  has(source: ImportSource): boolean;
  /** @param format null: recognize it @returns the report, unless the file is uploaded first */
  run(source: ImportSource, format: string | null): Promise<ImportReport | null>;
  clear(): void;
}

/** Checks files before they are imported. A file of this computer is uploaded only once. */
export function useImportCheck(target: ExchangeTarget): ImportCheck {
  const key = `check for ${target.kind} ${target.id}`;
  const uploading = useUpload(key);
  /** The file of the last upload, and whether it is complete. */
  const sent = useRef<{ readonly file: File; isComplete: boolean } | null>(null);
  const isDone = uploading?.state === 'done';
  useEffect(() => {
    if (isDone && sent.current !== null) sent.current.isComplete = true;
  }, [isDone]);
  const onServer = useMutation({
    mutationFn: ({ source, query }: { readonly source: ImportSource; readonly query: Record<string, string> }) =>
      check(target, source, query),
  });
  const has = (source: ImportSource): boolean =>
    !(source instanceof File) || (sent.current?.file === source && sent.current.isComplete);
  const clear = (): void => {
    uploads.remove(key);
    onServer.reset();
  };
  const isSending = uploading !== undefined && !isDone && uploading.state !== 'failed';
  return {
    isPending: onServer.isPending || isSending,
    report: onServer.data ?? uploading?.request?.report ?? null,
    upload: uploading,
    error: onServer.error,
    has,
    async run(source, format) {
      const query = { dry_run: 'true', ...(format === null ? {} : { format }) };
      const isThere = has(source);
      clear();
      if (isThere) return onServer.mutateAsync({ source, query });
      if (source instanceof File) {
        sent.current = { file: source, isComplete: false };
        upload(target, { key, purpose: 'check' }, source, query);
      }
      return null;
    },
    clear,
  };
}
