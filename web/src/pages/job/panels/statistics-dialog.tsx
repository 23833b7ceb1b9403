import { Modal, Table, Text } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import type { Editor } from '../editing/editor';
import type { FrameSet } from '../frames/frame-set';
import classes from './statistics-dialog.module.css';
import { COUNTED_TYPES, NOTHING, type Statistics, statisticsOf, sum } from '../scene/statistics';

interface StatisticsDialogProps {
  readonly opened: boolean;
  readonly editor: Editor | undefined;
  readonly frames: FrameSet;
  readonly onClose: () => void;
}

/** Numbers of objects by label and type. */
export function StatisticsDialog({ opened, editor, frames, onClose }: StatisticsDialogProps): ReactNode {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Statistics of the job"
      size="xl"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {opened && editor !== undefined && <StatisticsTable editor={editor} frames={frames} />}
    </Modal>
  );
}

function StatisticsTable({ editor, frames }: { readonly editor: Editor; readonly frames: FrameSet }): ReactNode {
  const version = editor.version();
  const counted = useMemo(() => frames.numbers.filter((number) => !frames.isDeleted(number)), [frames]);
  const found = useMemo(
    () => statisticsOf(editor.document.entries(), counted),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the document of the editor is modified in place
    [editor, version, counted],
  );
  const total = [...found.values()].reduce(sum, NOTHING);
  const types = COUNTED_TYPES.filter((type) => total.byType.has(type));
  const row = (name: string, of: Statistics): ReactNode => (
    <Table.Tr key={name} {...(of === total ? { fw: 650 } : {})}>
      <Table.Th scope="row">{name}</Table.Th>
      {types.map((type) => {
        const { shapes, tracks } = of.byType.get(type) ?? { shapes: 0, tracks: 0 };
        return <Table.Td key={type}>{type === 'tag' ? shapes : `${shapes} / ${tracks}`}</Table.Td>;
      })}
      <Table.Td>{of.drawn}</Table.Td>
      <Table.Td>{of.interpolated}</Table.Td>
      <Table.Td>{of.drawn + of.interpolated}</Table.Td>
    </Table.Tr>
  );
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {counted.length} of {frames.numbers.length} frames count; deleted frames do not. Cells of types show shapes /
        tracks. Keyframes of tracks are drawn, the frames between and after them are interpolated.
      </Text>
      <Table.ScrollContainer minWidth={0} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table striped className={classes['table'] ?? ''} aria-label="Objects by label and type">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Label</Table.Th>
              {types.map((type) => (
                <Table.Th key={type} scope="col" tt="capitalize">
                  {type}
                </Table.Th>
              ))}
              <Table.Th scope="col">Drawn</Table.Th>
              <Table.Th scope="col">Interpolated</Table.Th>
              <Table.Th scope="col">Total</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{editor.labels.map(({ id, name }) => row(name ?? '', found.get(id) ?? NOTHING))}</Table.Tbody>
          <Table.Tfoot>{row('Total', total)}</Table.Tfoot>
        </Table>
      </Table.ScrollContainer>
    </>
  );
}
