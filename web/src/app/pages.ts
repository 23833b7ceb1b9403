import type { ComponentType } from 'react';

interface LoadedModule {
  readonly Component: ComponentType;
  /** Loads what the page shows, before the app renders it. */
  readonly prefetch?: (pathname: string) => Promise<void>;
}

export type PageModule = () => Promise<LoadedModule>;

/** Pages that require no login. */
export const SIGNED_OUT_PAGES: Readonly<Record<string, PageModule>> = {
  '/login': () => import('../pages/login/login-page'),
  '/register': () => import('../pages/login/register-page'),
  '/auth/register/invitation': () => import('../pages/login/register-page'),
  '/auth/password/reset': () => import('../pages/login/password-reset-page'),
  '/auth/password/reset/confirm': () => import('../pages/login/password-confirm-page'),
  '/auth/email-confirmation': () => import('../pages/login/email-confirmation-page'),
};

/** Pages that require a login. */
export const PAGES: Readonly<Record<string, PageModule>> = {
  '/': () => import('../pages/home/home-page'),
  '/my-work': () => import('../pages/my-work/my-work-page'),
  '/projects': () => import('../pages/projects/projects-page'),
  '/projects/new': () => import('../pages/projects/new-project-page'),
  '/projects/:projectId': () => import('../pages/projects/project-page'),
  '/projects/:projectId/quality': () => import('../pages/quality/quality-page'),
  '/projects/:projectId/activity': () => import('../pages/activity/activity-page'),
  '/tasks': () => import('../pages/tasks/tasks-page'),
  '/tasks/new': () => import('../pages/tasks/new-task-page'),
  '/tasks/:taskId': () => import('../pages/tasks/task-page'),
  '/tasks/:taskId/quality': () => import('../pages/quality/quality-page'),
  '/tasks/:taskId/consensus': () => import('../pages/consensus/consensus-page'),
  '/jobs': () => import('../pages/jobs/jobs-page'),
  '/jobs/:jobId': () => import('../pages/job/job-page'),
  '/models': () => import('../pages/models/models-page'),
  '/models/:modelId': () => import('../pages/models/model-page'),
  '/requests': () => import('../pages/requests/requests-page'),
  '/cloudstorages': () => import('../pages/cloudstorages/cloud-storages-page'),
  '/cloudstorages/new': () => import('../pages/cloudstorages/new-cloud-storage-page'),
  '/cloudstorages/:storageId': () => import('../pages/cloudstorages/cloud-storage-page'),
  '/help/formats': () => import('../pages/help/formats-page'),
  '/audit': () => import('../pages/audit/audit-page'),
  '/server': () => import('../pages/server/server-page'),
  '/account': () => import('../pages/account/account-page'),
  '/users': () => import('../pages/users/users-page'),
  '/organizations': () => import('../pages/organizations/organizations-page'),
  '/organizations/new': () => import('../pages/organizations/new-organization-page'),
  '/organizations/:organizationId': () => import('../pages/organizations/organization-page'),
  '/webhooks': () => import('../pages/webhooks/webhooks-page'),
  '/webhooks/new': () => import('../pages/webhooks/new-webhook-page'),
  '/webhooks/receivers': () => import('../pages/webhooks/receivers-page'),
  '/webhooks/receivers/:boxId': () => import('../pages/webhooks/receiver-page'),
  '/webhooks/:webhookId': () => import('../pages/webhooks/webhook-page'),
};

const loaded = new Map<PageModule, ComponentType>();

/** @returns the component of the page if it is loaded */
export const pageIfLoaded = (load: PageModule): ComponentType | undefined => loaded.get(load);

export async function loadPage(load: PageModule): Promise<ComponentType> {
  const { Component } = await load();
  loaded.set(load, Component);
  return Component;
}

/** Loads the page of a path and its data before the app is rendered. The router and the page report errors. */
export async function loadAhead(pathname: string): Promise<void> {
  const found = Object.entries({ ...SIGNED_OUT_PAGES, ...PAGES }).find(([path]) => matches(path, pathname));
  if (found === undefined) return;
  const [, load] = found;
  await loadPage(load)
    .then(async () => (await load()).prefetch?.(pathname))
    .catch(() => undefined);
}

const matches = (path: string, pathname: string): boolean =>
  new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname);
