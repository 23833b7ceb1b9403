import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';

interface PageTabsProps {
  /** Titles by the names that panels and the address have. Addresses that name none show the first. */
  readonly titles: Readonly<Record<string, string>>;
  /** A `Tabs.Panel` for each. */
  readonly children: ReactNode;
}

/** Parts of a page, of which one is shown. The address says which, so that it can be passed on. */
export function PageTabs({ titles, children }: PageTabsProps): ReactNode {
  const [params, setParams] = useSearchParams();
  const [first = ''] = Object.keys(titles);
  const asked = params.get('show') ?? '';
  return (
    <Tabs
      value={Object.hasOwn(titles, asked) ? asked : first}
      onChange={(name) => setParams(name === first || name === null ? {} : { show: name }, { replace: true })}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        {Object.entries(titles).map(([name, title]) => (
          <Tabs.Tab key={name} value={name}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {children}
    </Tabs>
  );
}
