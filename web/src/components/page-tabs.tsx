import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { TAB } from './list-state';

interface PageTabsProps {
  /** Titles by tab name. The first tab is the default. */
  readonly titles: Readonly<Record<string, string>>;
  /** A `Tabs.Panel` for each. */
  readonly children: ReactNode;
}

/** Tabs of a page. The URL names the open one, so that it can be shared. */
export function PageTabs({ titles, children }: PageTabsProps): ReactNode {
  const [params, setParams] = useSearchParams();
  const [first = ''] = Object.keys(titles);
  const wanted = params.get(TAB) ?? '';
  return (
    <Tabs
      value={Object.hasOwn(titles, wanted) ? wanted : first}
      onChange={(name) => setParams(name === first || name === null ? {} : { [TAB]: name }, { replace: true })}
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
