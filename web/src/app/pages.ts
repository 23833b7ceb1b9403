import type { ComponentType } from 'react';

export type PageModule = () => Promise<{ readonly Component: ComponentType }>;

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
  '/tasks': () => import('../pages/tasks/tasks-page'),
  '/tasks/new': () => import('../pages/tasks/new-task-page'),
  '/tasks/:taskId': () => import('../pages/tasks/task-page'),
  '/jobs': () => import('../pages/jobs/jobs-page'),
  '/jobs/:jobId': () => import('../pages/job/job-page'),
  '/requests': () => import('../pages/requests/requests-page'),
  '/cloudstorages': () => import('../pages/cloudstorages/cloud-storages-page'),
  '/cloudstorages/new': () => import('../pages/cloudstorages/new-cloud-storage-page'),
  '/cloudstorages/:storageId': () => import('../pages/cloudstorages/cloud-storage-page'),
  '/account': () => import('../pages/account/account-page'),
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

/** Loads the page of a path before the app is rendered. The router reports errors. */
export async function loadAhead(pathname: string): Promise<void> {
  const found = Object.entries({ ...SIGNED_OUT_PAGES, ...PAGES }).find(([path]) => matches(path, pathname));
  if (found !== undefined) await loadPage(found[1]).catch(() => undefined);
}

const matches = (path: string, pathname: string): boolean =>
  new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname);
