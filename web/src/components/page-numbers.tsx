import { Pagination } from '@mantine/core';
import type { ReactNode } from 'react';

interface PageNumbersProps {
  /** Accessible name. */
  readonly label: string;
  readonly pages: number;
  readonly page: number;
  readonly onChange: (page: number) => void;
}

/** Pagination, hidden if there is only one page. */
export function PageNumbers({ label, pages, page, onChange }: PageNumbersProps): ReactNode {
  if (pages <= 1) return null;
  return (
    <nav aria-label={label}>
      <Pagination
        total={pages}
        value={page}
        onChange={onChange}
        size="sm"
        getControlProps={(control) => ({
          'aria-label': { first: 'First page', previous: 'Previous page', next: 'Next page', last: 'Last page' }[
            control
          ],
        })}
        getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
      />
    </nav>
  );
}
