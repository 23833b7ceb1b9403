import type { ReactNode } from 'react';
import { ColorSchemeButton } from '../app/color-scheme-button';
import classes from './signed-out-page.module.css';
import { usePageTitle } from './page';

/** Layout of the pages for visitors who are not logged in. */
export function SignedOutPage({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}): ReactNode {
  usePageTitle(title);
  return (
    <div className={classes['frame']}>
      <header className={classes['header']}>
        <span className={classes['brand']}>
          <img src="/static/logo.svg" width={36} height={36} alt="" />
          Cairn
        </span>
        <ColorSchemeButton />
      </header>
      <main className={`panel ${classes['card']}`}>{children}</main>
    </div>
  );
}
