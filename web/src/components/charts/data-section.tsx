import { Button, Text, Title } from '@mantine/core';
import { type Key, type ReactNode, useId, useState } from 'react';
import { DataTable } from '../data-table';
import { Icon } from '../icons';
import { PageNumbers } from '../page-numbers';
import classes from './charts.module.css';
import { saveText, toCsv, type ValueColumn } from './csv';

/** A column of numbers or texts. Tables show the value unless `show` is given. */
export interface DataColumn<Row> extends ValueColumn<Row> {
  readonly show?: (row: Row) => ReactNode;
  readonly isText?: boolean;
}

interface DataSectionProps<Row> {
  readonly title: string;
  /** A sentence that explains the numbers. */
  readonly text?: ReactNode | undefined;
  readonly rows: readonly Row[];
  readonly columns: readonly DataColumn<Row>[];
  readonly keyOf: (row: Row) => Key;
  readonly minWidth: number;
  /** Of the downloaded file, without its extension. */
  readonly fileName: string;
  /** The rows as a chart. */
  readonly chart?: ReactNode;
  /** Shown if there are no rows. */
  readonly empty: string;
}

const PAGE_SIZE = 20;

/** Numbers as a chart, as a table and as a file. */
export function DataSection<Row>(props: DataSectionProps<Row>): ReactNode {
  const { title, text, rows, columns, keyOf, minWidth, fileName, chart, empty } = props;
  const id = useId();
  const [wanted, setPage] = useState(1);
  const pages = Math.max(1, Math.ceil(rows.length / PAGE_SIZE));
  const page = Math.min(wanted, pages);
  return (
    <section aria-labelledby={id}>
      <div className={classes['head']}>
        <div>
          <Title order={2} size="h3" id={id}>
            {title}
          </Title>
          {text !== undefined && (
            <Text size="sm" c="dimmed" maw={760} component="div">
              {text}
            </Text>
          )}
        </div>
        {rows.length > 0 && (
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="download" size={14} />}
            aria-label={`Download CSV: ${title}`}
            onClick={() => saveText(`${fileName}.csv`, toCsv(columns, rows))}
          >
            Download CSV
          </Button>
        )}
      </div>
      <div className={classes['body']}>
        {rows.length > 0 && chart !== undefined && chart !== false && (
          <div className="panel panel--padded">{chart}</div>
        )}
        <DataTable
          rows={rows.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)}
          columns={columns.map(({ title: name, value, show, isText = false }) => ({
            title: name,
            cell: (row: Row) => (show === undefined ? shown(value(row)) : show(row)),
            isText,
          }))}
          keyOf={keyOf}
          minWidth={minWidth}
          verticalSpacing="xs"
          empty={empty}
        />
        <PageNumbers label={`Pages of ${title}`} pages={pages} page={page} onChange={setPage} />
      </div>
    </section>
  );
}

const shown = (value: string | number | null): string =>
  value === null ? '–' : typeof value === 'number' ? value.toLocaleString('en') : value;
