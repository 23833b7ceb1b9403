import { Alert, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ImportReport } from '../app/api';
import { readable } from '../app/readable';
import { counted } from './counted';

/** What an import created, or would create, and what it left out. */
export function ImportReportView({ report }: { readonly report: ImportReport }): ReactNode {
  const { error, dry_run: isDryRun, skipped, unlisted, labels } = report;
  const fails = isDryRun && skipped.some(({ kind }) => kind !== 'attribute');
  return (
    <Stack gap="xs" role="region" aria-label="Import report">
      {error !== null && error !== undefined ? (
        <Alert color="red" title="The file cannot be imported">
          {readable(error)}
        </Alert>
      ) : (
        <Text size="sm" fw={600}>
          {isDryRun ? 'Matches:' : 'Imported:'} {contentOf(report)}.
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
    </Stack>
  );
}

/** @returns a text such as `2 shapes, 1 track on 3 frames` */
function contentOf({ tasks, frames, tags, shapes, tracks }: ImportReport): string {
  const parts = [
    counted(tasks, 'task'),
    counted(tags, 'tag'),
    counted(shapes, 'shape'),
    counted(tracks, 'track'),
  ].filter((part) => !part.startsWith('0 '));
  return parts.length === 0 ? 'no annotations' : `${parts.join(', ')} on ${counted(frames, 'frame')}`;
}

const KINDS: Readonly<Record<string, string>> = { frame: 'Frame', label: 'Label', attribute: 'Attribute' };

function SkippedTable({ skipped }: Pick<ImportReport, 'skipped'>): ReactNode {
  return (
    <Table.ScrollContainer minWidth={360} mah={240}>
      <Table aria-label="What does not match" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Not found</Table.Th>
            <Table.Th>Name</Table.Th>
            <Table.Th>Count</Table.Th>
            <Table.Th>First occurrence</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {skipped.map(({ kind, name, count, location }) => (
            <Table.Tr key={`${kind} ${name}`}>
              <Table.Td>{KINDS[kind] ?? kind}</Table.Td>
              <Table.Td>{name}</Table.Td>
              <Table.Td>{count}</Table.Td>
              <Table.Td>{location}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
