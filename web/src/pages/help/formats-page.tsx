import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'react-router';
import guide from '../../../../docs/format-files.md?raw';
import { Markdown } from '../../components/guide/markdown';
import { Page } from '../../components/page';

/** Other pages of the documentation are not part of the app. */
const WITHOUT_LINKS = guide.replaceAll(/\[([^\]]+)\]\([^)]+\.md[^)]*\)/g, '$1');
const [, TITLE = '', TEXT = ''] = /^# (.+)\n+([^]*)$/.exec(WITHOUT_LINKS) ?? [];

/** What imports read in each format. Error messages lead to the section of a format. */
export function Component(): ReactNode {
  const { hash } = useLocation();
  useEffect(() => {
    if (hash !== '') document.querySelector(`[id="${CSS.escape(hash.slice(1))}"]`)?.scrollIntoView();
  }, [hash]);
  return (
    <Page title={TITLE} narrow>
      <Markdown text={TEXT} withAnchors />
    </Page>
  );
}
