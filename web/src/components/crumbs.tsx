import { Anchor, Breadcrumbs } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

export interface Crumb {
  readonly to: string;
  readonly title: string;
}

/** Truncated text needs lines that are higher than its letters, or their lower ends are cut off. */
const STYLES = { root: { flexWrap: 'nowrap' }, breadcrumb: { minWidth: 0, lineHeight: 1.45 } } as const;

/** The breadcrumbs of a page. */
export const Crumbs = ({ crumbs }: { readonly crumbs: readonly Crumb[] }): ReactNode => (
  <nav aria-label="Breadcrumbs">
    <Breadcrumbs mb={4} separatorMargin={6} styles={STYLES}>
      {crumbs.map(({ to, title }, at) => (
        <Anchor
          key={to}
          underline="hover"
          component={Link}
          to={to}
          size="sm"
          truncate
          title={title}
          flex={at === 0 ? 'none' : undefined}
        >
          {title}
        </Anchor>
      ))}
    </Breadcrumbs>
  </nav>
);
