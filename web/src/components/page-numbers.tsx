import { Pagination } from '@mantine/core';
import type { ReactNode } from 'react';

interface PageNumbersProps {
  /** Says what it goes through, to those who cannot see it. */
  readonly label: string;
  readonly pages: number;
  readonly page: number;
  readonly onChange: (page: number) => void;
}

/** Goes from page to page; nothing where there is one. */
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
          'aria-label': { first: 'First page', previous: 'Page before', next: 'Next page', last: 'Last page' }[control],
        })}
        getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
      />
    </nav>
  );
}
