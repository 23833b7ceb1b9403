import { Button, Group, Modal, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Conflict } from '#shared/annotations/editing/document';
import { counted } from '../../../components/counted';
import type { Editing } from '../editing/use-editing';
import { ConflictDrawing } from './conflict-drawing';
import { comparedValues, conflictFrame, shapeOn } from './conflict-values';
import classes from './conflicts-dialog.module.css';

interface ConflictsDialogProps {
  readonly opened: boolean;
  readonly editing: Editing;
}

/** Shows both versions of the objects that this user and somebody else have changed, and asks which one to keep. */
export function ConflictsDialog({ opened, editing }: ConflictsDialogProps): ReactNode {
  const { conflicts, settle, showConflicts } = editing;
  const [wanted, setWanted] = useState(0);
  const at = Math.min(wanted, conflicts.length - 1);
  const conflict = conflicts[at];
  return (
    <Modal
      opened={opened}
      onClose={() => showConflicts(false)}
      title={`${counted(conflicts.length, 'object was', 'objects were')} changed by you and by somebody else`}
      size="xl"
      closeButtonProps={{ 'aria-label': 'Decide later' }}
    >
      {conflict !== undefined && (
        <Stack gap="sm">
          <Comparison conflict={conflict} editing={editing} />
          <SimpleGrid cols={2}>
            <Button data-autofocus onClick={() => settle([conflict], 'mine')}>
              Keep mine
            </Button>
            <Button variant="default" onClick={() => settle([conflict], 'theirs')}>
              Keep theirs
            </Button>
          </SimpleGrid>
          {conflicts.length > 1 && (
            <Group justify="space-between">
              <Group gap={6}>
                <Button size="xs" variant="default" disabled={at === 0} onClick={() => setWanted(at - 1)}>
                  Previous
                </Button>
                <Text size="sm" aria-live="polite">
                  {at + 1} of {conflicts.length}
                </Text>
                <Button
                  size="xs"
                  variant="default"
                  disabled={at === conflicts.length - 1}
                  onClick={() => setWanted(at + 1)}
                >
                  Next
                </Button>
              </Group>
              <Group gap={6}>
                <Button size="xs" variant="default" onClick={() => settle(conflicts, 'mine')}>
                  Keep all of mine
                </Button>
                <Button size="xs" variant="default" onClick={() => settle(conflicts, 'theirs')}>
                  Keep all of theirs
                </Button>
              </Group>
            </Group>
          )}
          <Text size="xs" c="dimmed">
            Objects are not saved until you decide. All your other changes are saved. You can undo “Keep theirs”.
          </Text>
        </Stack>
      )}
    </Modal>
  );
}

/** The versions next to each other: drawn, and as values. */
function Comparison({ conflict, editing }: { readonly conflict: Conflict; readonly editing: Editing }): ReactNode {
  const { editor, changedBy, jobId } = editing;
  const { key, mine, theirs } = conflict;
  const frame = conflictFrame(conflict);
  const label = editor.labels.find(({ id }) => id === (mine ?? theirs)?.value.label_id);
  const id = editor.document.idOf(key);
  const name = `${label?.name ?? 'Object'}${id === undefined ? '' : ` #${id}`}`;
  const values = comparedValues(conflict, frame, editor.labels);
  const author = changedBy.get(key) ?? 'somebody else';
  const [left, right] = [shapeOn(mine, frame), shapeOn(theirs, frame)];
  const color = label?.color ?? '#888888';
  const heads = [
    { title: 'Mine', by: mine === undefined ? 'You deleted it.' : 'You changed it.', shape: left, other: right },
    {
      title: 'Theirs',
      by: theirs === undefined ? `Deleted by ${author}.` : `Changed by ${author}.`,
      shape: right,
      other: left,
    },
  ];
  return (
    <>
      <Text size="sm" fw={600}>
        {name}, frame {frame}
      </Text>
      <SimpleGrid cols={2}>
        {heads.map(({ title, by, shape, other }) => (
          <div key={title}>
            <Title order={3} size="h5">
              {title}
            </Title>
            <Text size="xs" c="dimmed" mb={4}>
              {by}
            </Text>
            <ConflictDrawing
              name={`${title}: ${name}`}
              jobId={jobId}
              frame={frame}
              color={color}
              shape={shape}
              other={other}
            />
          </div>
        ))}
      </SimpleGrid>
      <Table.ScrollContainer
        minWidth={0}
        className={classes['values'] ?? ''}
        scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      >
        <Table aria-label="Values of both versions" verticalSpacing={3}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Value</Table.Th>
              <Table.Th scope="col">Mine</Table.Th>
              <Table.Th scope="col">Theirs</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {values.map(({ name: value, mine: own, theirs: other, differs }) => (
              <Table.Tr key={value} className={differs ? (classes['differs'] ?? '') : ''}>
                <Table.Th scope="row" fw={differs ? 700 : 400}>
                  {value}
                  {differs && <span className="visually-hidden"> (different)</span>}
                </Table.Th>
                <Table.Td fw={differs ? 700 : 400}>{own ?? '–'}</Table.Td>
                <Table.Td fw={differs ? 700 : 400}>{other ?? '–'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}
