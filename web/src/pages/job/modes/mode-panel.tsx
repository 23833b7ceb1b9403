import { Loader } from '@mantine/core';
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react';
import type { Mode } from '../data/modes';
import type { ModePanelProps } from './mode-actions';

const panelOf = (load: () => Promise<ComponentType<ModePanelProps>>) => lazy(async () => ({ default: await load() }));

/** Loaded when the mode is first used. */
const PANELS = {
  attributes: panelOf(async () => (await import('./attributes-panel')).AttributesPanel),
  'single-shape': panelOf(async () => (await import('./single-shape-panel')).SingleShapePanel),
  tags: panelOf(async () => (await import('./tags-panel')).TagsPanel),
} satisfies Partial<Record<Mode, ComponentType<ModePanelProps>>>;

export type PanelMode = keyof typeof PANELS;
export const hasPanel = (mode: Mode): mode is PanelMode => mode in PANELS;

/** The panel of a mode, instead of the list of objects. */
export function ModePanel({ mode, ...props }: ModePanelProps & { readonly mode: PanelMode }): ReactNode {
  const Panel = PANELS[mode];
  return (
    <Suspense fallback={<Loader size="sm" m="md" aria-label="Loading …" />}>
      <Panel key={mode} {...props} />
    </Suspense>
  );
}
