import { Stack } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import type { ImportReport } from '../app/api';
import { isUndoable } from '../app/undoable';

const UndoImportButton = lazy(async () => ({ default: (await import('./undo-import-button')).UndoImportButton }));

interface EndingProps {
  readonly report: ImportReport;
  readonly done: string;
}

/** The end of an import, with what can be done about it. */
export const ImportEnding = ({ report, done }: EndingProps): ReactNode => (
  <Stack gap="xs" align="flex-start">
    {done}
    {report.skipped.length > 0 && <a href="/requests">Show what was left out</a>}
    {isUndoable(report) && (
      <Suspense>
        <UndoImportButton report={report} />
      </Suspense>
    )}
  </Stack>
);
