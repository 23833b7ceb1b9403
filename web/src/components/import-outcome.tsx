import { Button, Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ImportReport } from '../app/api';
import { isUndoable } from '../app/undoable';
import { type Upload, uploads } from '../app/uploads';
import { ImportReportModal } from './import-report';
import { UndoImportButton } from './undo-import-button';

/** What an import left out or would leave out, and what can be done about it. */
export function ImportOutcome({
  upload,
  report,
}: {
  readonly upload: Upload;
  readonly report: ImportReport;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const { key, state } = upload;
  return (
    <Group gap="xs">
      {report.skipped.length > 0 && (
        <Button size="xs" variant="default" onClick={() => setOpen(true)}>
          {state === 'failed' ? 'Show what would be left out' : 'Show what was left out'}
        </Button>
      )}
      {state === 'failed' && (
        <Button size="xs" color="red" onClick={() => uploads.repeat(key, { only_complete: 'false' })}>
          Import anyway
        </Button>
      )}
      {state === 'done' && isUndoable(report) && <UndoImportButton report={report} />}
      <ImportReportModal report={report} opened={isOpen} onClose={() => setOpen(false)} />
    </Group>
  );
}
