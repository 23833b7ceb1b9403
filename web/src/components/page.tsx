import { Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

/** Sets the title of the browser tab. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Cairn' : `${title} · Cairn`;
  }, [title]);
}

interface PageProps {
  readonly title: string;
  /** A line above the title, such as breadcrumbs. */
  readonly above?: ReactNode;
  readonly subtitle?: ReactNode;
  readonly actions?: ReactNode;
  readonly narrow?: boolean;
  readonly children: ReactNode;
}

/** A page with a title, actions and content. */
export function Page({ title, above, subtitle, actions, narrow = false, children }: PageProps): ReactNode {
  usePageTitle(title);
  return (
    <div className={narrow ? 'page page--narrow' : 'page'}>
      <div className="page-header">
        <div className="page-header__title">
          {above}
          <Title order={1} lineClamp={3} title={title}>
            {title}
          </Title>
          {subtitle !== undefined && (
            <Text c="dimmed" size="sm" mt={4} component="div">
              {subtitle}
            </Text>
          )}
        </div>
        {actions !== undefined && <div className="page-header__actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
