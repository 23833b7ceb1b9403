import { Alert, Modal, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ImportReport } from '../app/api';
import { isUndoable } from '../app/undoable';
import { readable } from '../app/readable';
import { counted } from './counted';
import { LinkedText } from './linked-text';
import { UndoImportButton } from './undo-import-button';

/** Whether an import leaves out more than attributes, which may be notes of other tools. */
export const isIncomplete = ({ skipped }: ImportReport): boolean => skipped.some(({ kind }) => kind !== 'attribute');

const total = ({ tags, shapes, tracks, intervals }: ImportReport['replaced']): number =>
  tags + shapes + tracks + intervals;

interface ModalProps {
  readonly report: ImportReport;
  readonly opened: boolean;
  readonly onClose: () => void;
}

export const ImportReportModal = ({ report, opened, onClose }: ModalProps): ReactNode => (
  <Modal opened={opened} onClose={onClose} title="Import report" size="xl" centered>
    <ImportReportView report={report} />
  </Modal>
);

/** What an import created and replaced, or would create and replace, and what it left out. */
export function ImportReportView({ report }: { readonly report: ImportReport }): ReactNode {
  const { error, dry_run: isDryRun, skipped, unlisted, labels, files, format } = report;
  const isDone = !isDryRun && report.revision !== null;
  const fails = isDryRun && skipped.some(({ kind }) => kind === 'frame' || kind === 'label');
  return (
    <Stack gap="xs" role="region" aria-label="Import report">
      {error !== null && error !== undefined ? (
        <Alert color="red" title="The file cannot be imported">
          <LinkedText text={readable(error)} />
        </Alert>
      ) : (
        <Text size="sm" fw={600}>
          {isDryRun ? 'Matches:' : 'Imported:'} {contentOf(report)}.
        </Text>
      )}
      {total(report.replaced) > 0 && (
        <Text size="sm">
          {isDone ? 'Replaced:' : 'Would replace:'} {listed(report.replaced)}.
        </Text>
      )}
      {files.read + files.irrelevant + files.ignored > 1 && (
        <Text size="sm" c="dimmed">
          {format !== null && `${format}. `}Files: {files.read} read, {files.irrelevant} without annotations,{' '}
          {files.ignored} ignored.
        </Text>
      )}
      {labels.length > 0 && (
        <Text size="sm" c="dimmed">
          {labels.map(({ name, count }) => `${name}: ${count}`).join(', ')}
        </Text>
      )}
      {fails && (
        <Text size="sm">
          The import fails unless you skip what does not match: the file names frames or labels that do not exist.
        </Text>
      )}
      {skipped.length > 0 && <SkippedTable skipped={skipped} />}
      {unlisted > 0 && <Text size="sm">And {counted(unlisted, 'other occurrence')}.</Text>}
      {isUndoable(report) && <UndoImportButton report={report} />}
    </Stack>
  );
}

/** @returns a text such as `2 shapes, 1 track` */
const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => counted(count, kind.replace(/s$/, '')))
    .join(', ');

/** @returns a text such as `2 shapes, 1 track on 3 frames` */
function contentOf({ tasks, frames, tags, shapes, tracks }: ImportReport): string {
  const content = listed({ tasks, tags, shapes, tracks });
  return content === '' ? 'no annotations' : `${content} on ${counted(frames, 'frame')}`;
}

const KINDS: Readonly<Record<string, string>> = {
  file: 'File',
  annotation: 'Annotation',
  frame: 'Frame',
  label: 'Label',
  attribute: 'Attribute',
};

/** Files first, because they may have many annotations. */
const ORDER = Object.keys(KINDS);

function SkippedTable({ skipped }: Pick<ImportReport, 'skipped'>): ReactNode {
  const sorted = skipped.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  return (
    <Table.ScrollContainer minWidth={360} mah={240}>
      <Table aria-label="What is not imported" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Type</Table.Th>
            <Table.Th>Name</Table.Th>
            <Table.Th>Count</Table.Th>
            <Table.Th>First occurrence</Table.Th>
            <Table.Th>Reason</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sorted.map(({ kind, name, count, location, reason }) => (
            <Table.Tr key={`${kind} ${name} ${reason ?? ''}`}>
              <Table.Td>{KINDS[kind] ?? kind}</Table.Td>
              <Table.Td>{name}</Table.Td>
              <Table.Td>{count}</Table.Td>
              <Table.Td>{location}</Table.Td>
              <Table.Td>{reason ?? 'does not exist here'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
