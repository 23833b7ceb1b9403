import { Anchor, Breadcrumbs } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

export interface Crumb {
  readonly to: string;
  readonly title: string;
}

/** The breadcrumbs of a page. */
export const Crumbs = ({ crumbs }: { readonly crumbs: readonly Crumb[] }): ReactNode => (
  <nav aria-label="Breadcrumbs">
    <Breadcrumbs mb={4} separatorMargin={6} styles={{ root: { flexWrap: 'nowrap' }, breadcrumb: { minWidth: 0 } }}>
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
