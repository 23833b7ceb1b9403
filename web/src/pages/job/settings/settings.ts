import { useSyncExternalStore } from 'react';
import type { Sort } from '../scene/object-filter';
import type { ColorBy } from '../scene/scene';
import type { CustomKeys } from './custom-shortcuts';

/** Changes of the image that do not change the file. */
export interface ImageAdjustments {
  /** Percent; 100 leaves the image as it is. */
  readonly brightness: number;
  readonly contrast: number;
  readonly saturation: number;
  /** 1 leaves the image as it is, higher values lighten dark areas. */
  readonly gamma: number;
}

export interface GridSettings {
  readonly isShown: boolean;
  /** Distance of its lines, in pixels of the image. */
  readonly size: number;
  /** 0 to 1 */
  readonly opacity: number;
}

/** The texts next to objects on the canvas. */
export interface TextSettings {
  readonly which: 'none' | 'selected' | 'all';
  readonly where: 'above' | 'inside';
  /** In screen pixels. */
  readonly size: number;
  readonly hasLabel: boolean;
  readonly hasId: boolean;
  readonly hasAttributes: boolean;
  readonly hasSource: boolean;
}

/** How the canvas draws a frame and its annotations. */
export interface Display {
  /** Opacity of fills, 0 to 1. */
  readonly fill: number;
  readonly selectedFill: number;
  /** Width of outlines, in screen pixels. */
  readonly outline: number;
  readonly texts: TextSettings;
  readonly image: ImageAdjustments;
  /** Whether the image is smoothed when its pixels are large. */
  readonly isSmooth: boolean;
  readonly grid: GridSettings;
}

/** The settings of the editor. The browser keeps them for all jobs. */
export interface Settings extends Display {
  readonly colorBy: ColorBy;
  /** Interval of automatic saving in seconds; 0 turns it off. */
  readonly autosave: number;
  /** How many frames the keys and buttons for several frames go. */
  readonly frameStep: number;
  /** Whether navigation stops at deleted frames. */
  readonly areDeletedShown: boolean;
  readonly sort: Sort;
  readonly keys: CustomKeys;
}

export const DEFAULT_SETTINGS: Settings = {
  fill: 0.2,
  selectedFill: 0.3,
  outline: 1.75,
  texts: {
    which: 'none',
    where: 'above',
    size: 14,
    hasLabel: true,
    hasId: true,
    hasAttributes: true,
    hasSource: false,
  },
  image: { brightness: 100, contrast: 100, saturation: 100, gamma: 1 },
  isSmooth: false,
  grid: { isShown: false, size: 100, opacity: 0.5 },
  colorBy: 'label',
  autosave: 30,
  frameStep: 10,
  areDeletedShown: false,
  sort: 'layer',
  keys: {},
};

const KEY = 'editor settings';
const listeners = new Set<() => void>();
let current = read(localStorage.getItem(KEY));

// Other tabs apply a change at once, too.
window.addEventListener('storage', ({ key, newValue }) => {
  if (key === KEY) put(read(newValue));
});

export const getSettings = (): Settings => current;

/** Applies a change and keeps it for the next visit. */
export function changeSettings(change: Partial<Settings>): void {
  put({ ...current, ...change });
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // The storage quota is exceeded: the change lasts until the page is reloaded.
  }
}

export const useSettings = (): Settings => useSyncExternalStore(subscribe, getSettings);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function put(next: Settings): void {
  current = next;
  for (const listener of listeners) listener();
}

function read(text: string | null): Settings {
  if (text === null) return DEFAULT_SETTINGS;
  const stored = JSON.parse(text) as Partial<Settings>;
  return { ...completed(DEFAULT_SETTINGS, stored), keys: stored.keys ?? {} };
}

/** Adds the settings that an older version of the app has not stored. */
function completed<Value extends object>(defaults: Value, stored: Partial<Value>): Value {
  const entries = Object.entries(defaults).map(([name, value]: [string, unknown]) => {
    const own = (stored as Record<string, unknown>)[name];
    if (typeof own !== typeof value || own === null) return [name, value];
    return [name, typeof value === 'object' && value !== null ? completed(value, own as object) : own];
  });
  return Object.fromEntries(entries) as Value;
}
