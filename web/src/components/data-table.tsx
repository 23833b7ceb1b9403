import { type MantineSpacing, Table, Text } from '@mantine/core';
import type { Key, ReactNode } from 'react';

/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  /** Shown instead of the title, such as a checkbox for all rows. */
  readonly head?: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Shows the title to screen readers only, as for a column of buttons. */
  readonly isActions?: boolean;
  /** Free text, which may have long words without spaces: it can wrap anywhere. */
  readonly isText?: boolean;
  /** In pixels. */
  readonly width?: number;
  readonly maxWidth?: number;
}

interface DataTableProps<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => Key;
  /** Below this width in pixels the table scrolls sideways. On phones, the cells of a row are stacked. */
  readonly minWidth: number;
  readonly isMarked?: (row: Row) => boolean;
  /** Padding of the cells. Smaller where rows are tall already, such as rows with fields. */
  readonly verticalSpacing?: MantineSpacing;
  /** Shown if there are no rows. */
  readonly empty?: string;
}

function headOf<Row>({ title, head, isActions = false }: Column<Row>): ReactNode {
  if (head !== undefined) return head;
  return isActions ? <span className="visually-hidden">{title}</span> : title;
}

const MARKED = { bg: 'var(--mantine-color-slate-light)' };

/**
 * A table in a panel. It states its ARIA roles, because browsers drop the roles of table elements with another
 * `display`.
 */
export function DataTable<Row>(props: DataTableProps<Row>): ReactNode {
  const { rows, columns, keyOf, minWidth, isMarked, verticalSpacing = 'sm', empty } = props;
  if (rows.length === 0 && empty !== undefined) {
    return (
      <Text size="sm" c="dimmed">
        {empty}
      </Text>
    );
  }
  return (
    <div className="panel table-scroll">
      <Table
        verticalSpacing={verticalSpacing}
        miw={minWidth}
        highlightOnHover
        highlightOnHoverColor="var(--ground)"
        role="table"
      >
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map((column) => (
              <Table.Th
                key={column.title}
                role="columnheader"
                w={column.width}
                data-stays={column.head === undefined ? undefined : ''}
              >
                {headOf(column)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)} role="row" {...(isMarked?.(row) === true ? MARKED : {})}>
              {columns.map((column) => (
                <Table.Td
                  key={column.title}
                  role="cell"
                  data-title={column.isActions === true || column.head !== undefined ? undefined : column.title}
                  maw={column.maxWidth}
                  ta={column.isActions === true ? 'right' : undefined}
                  {...(column.isText === true ? { className: 'table-text' } : {})}
                >
                  <div>{column.cell(row)}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
