import type { ReactNode } from 'react';
import { Suspense, useEffect, useRef } from 'react';
import { Link, NavLink, Outlet, useLocation } from 'react-router';
import { PageBoundary } from '../components/page-boundary';
import { PageLoader } from '../components/page-loader';
import { AccountMenu } from './account-menu';
import { UnavailableBar } from './unavailable-bar';
import { ColorSchemeButton } from './color-scheme-button';
import { Landing } from './landing';
import { OrganizationMenu } from './organization-menu';
import { RequireSession } from './session';
import { SessionOverDialog } from './session-over-dialog';
import { UploadTray } from './upload-tray';

const AREAS = [
  { to: '/my-work', title: 'My work' },
  { to: '/projects', title: 'Projects' },
  { to: '/tasks', title: 'Tasks' },
  { to: '/jobs', title: 'Jobs' },
  { to: '/cloudstorages', title: 'Cloud storages' },
  { to: '/models', title: 'Models' },
  { to: '/requests', title: 'Requests' },
  { to: '/webhooks', title: 'Webhooks' },
] as const;

/** The header, navigation and notices around every page for logged-in users. */
export function AppLayout(): ReactNode {
  return (
    <RequireSession>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <header className="app-header">
        <Link to="/projects" className="app-logo" aria-label="Cairn: go to projects">
          <img src="/static/logo.svg" width={28} height={28} alt="" />
          <span>Cairn</span>
        </Link>
        <Areas />
        <div className="app-actions">
          <OrganizationMenu />
          <ColorSchemeButton />
          <AccountMenu />
        </div>
      </header>
      <UnavailableBar />
      <Main />
      <UploadTray />
      <SessionOverDialog />
    </RequireSession>
  );
}

/** The main navigation. On narrow windows it scrolls sideways to the current area. */
function Areas(): ReactNode {
  const { pathname } = useLocation();
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [pathname]);
  return (
    <nav className="app-nav" aria-label="Main navigation" ref={nav}>
      {AREAS.map(({ to, title }) => (
        <NavLink key={to} to={to}>
          {title}
        </NavLink>
      ))}
      <a href="/api/swagger/">API</a>
    </nav>
  );
}

/** The page. Navigation scrolls it to the top and moves the focus to it. */
function Main(): ReactNode {
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useEffect(() => {
    if (first.current)
      first.current = pathname === '/'; // "/" only redirects
    else {
      window.scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    }
  }, [pathname]);
  return (
    <main id="main" className="app-main" ref={main} tabIndex={-1}>
      <PageBoundary>
        <Suspense fallback={<PageLoader />}>
          <Landing>
            <Outlet />
          </Landing>
        </Suspense>
      </PageBoundary>
    </main>
  );
}
