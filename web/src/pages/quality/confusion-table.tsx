import { Button, Text, Title } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { saveText, toCsv } from '../../components/charts';
import { Icon } from '../../components/icons';
import classes from './quality.module.css';
import type { ConfusionMatrix } from './report-data';

interface ConfusionTableProps {
  readonly matrix: ConfusionMatrix | null;
  /** Of the downloaded file, without its extension. */
  readonly fileName: string;
}

/** How often objects of one label were annotated with another. Rows are annotations, columns the ground truth. */
export function ConfusionTable({ matrix, fileName }: ConfusionTableProps): ReactNode {
  if (matrix === null) return null;
  const { labels, rows } = matrix;
  const unmatched = labels.length - 1;
  const download = (): void =>
    saveText(
      `${fileName}.csv`,
      toCsv(
        [
          { title: 'Annotations / ground truth', value: (at: number) => labels[at] ?? '' },
          ...labels.map((title, column) => ({ title, value: (at: number) => rows[at]?.[column] ?? 0 })),
        ],
        labels.map((_, at) => at),
      ),
    );
  return (
    <section aria-labelledby="confusion">
      <Title order={2} size="h3" id="confusion">
        Confusion matrix
      </Title>
      <Text size="sm" c="dimmed" maw={760}>
        Rows are labels of the annotations, columns are labels of the ground truth. Objects without a counterpart are
        unmatched: in the last column they are not in the ground truth, in the last row they were not annotated.
      </Text>
      <Button
        size="xs"
        variant="default"
        my="xs"
        leftSection={<Icon name="download" size={14} />}
        aria-label="Download CSV: Confusion matrix"
        onClick={download}
      >
        Download CSV
      </Button>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the arrow keys scroll it */}
      <div className="panel panel--padded table-scroll" tabIndex={0} role="group" aria-labelledby="confusion">
        <table className={classes['matrix']}>
          <thead>
            <tr>
              <th scope="col">Annotations</th>
              {labels.map((label) => (
                <th key={label} scope="col" title={label}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, row) => (
              <tr key={label}>
                <th scope="row" title={label}>
                  {label}
                </th>
                {labels.map((column, at) => (
                  <Cell
                    key={column}
                    count={rows[row]?.[at] ?? 0}
                    largest={Math.max(...(rows[row] ?? []))}
                    isMatch={row === at && row !== unmatched}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface CellProps {
  readonly count: number;
  /** Of the row. */
  readonly largest: number;
  readonly isMatch: boolean;
}

const Cell = ({ count, largest, isMatch }: CellProps): ReactNode => (
  <td
    data-kind={isMatch ? 'match' : 'mistake'}
    style={{ '--share': largest === 0 ? 0 : count / largest } as CSSProperties}
  >
    {count.toLocaleString('en')}
  </td>
);
