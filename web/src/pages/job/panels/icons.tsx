import type { ReactNode } from 'react';

const PATHS = {
  actualSize: 'M6 8l2-1v10M16 8l2-1v10M12 10h.01M12 14h.01',
  comment: 'M4 5h16v11H10l-4 4v-4H4z',
  cursor: 'M5 4l14 7-6 2-2 6z',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  eyeOff:
    'M4 4l16 16M9.5 6A9 9 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a17 17 0 0 1-3 3.7M6 7.5A17 17 0 0 0 2.5 12S6 18.5 12 18.5a9 9 0 0 0 4-1',
  film: 'M4 5h16v14H4zM8 5v14M16 5v14M4 9.5h4M4 14.5h4M16 9.5h4M16 14.5h4',
  first: 'M6 5v14M18 5l-9 7 9 7z',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  forward: 'M9 5l7 7-7 7',
  forwardFar: 'M5 5l7 7-7 7M13 5l7 7-7 7',
  back: 'M15 5l-7 7 7 7',
  backFar: 'M19 5l-7 7 7 7M11 5l-7 7 7 7',
  hand: 'M8 12V6.5a1.5 1.5 0 0 1 3 0V11M11 11V5a1.5 1.5 0 0 1 3 0v6M14 11V6.5a1.5 1.5 0 0 1 3 0V14a6 6 0 0 1-6 6.5c-3 0-4.5-1.5-5.5-3.5L3.5 13.5a1.5 1.5 0 0 1 2.5-1.5l2 2',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8',
  last: 'M18 5v14M6 5l9 7-9 7z',
  minus: 'M5 12h14',
  pin: 'M12 21s7-6.5 7-11.5a7 7 0 1 0-14 0C5 14.5 12 21 12 21zM12 7v4M12 13.5h.01',
  quality: 'M4 6h16v12H4zM8 10v4M8 12h3M11 10v4M14 10h1.5a2 2 0 0 1 0 4H14z',
} as const;

export type JobIconName = keyof typeof PATHS;

/** A decoration of a button that has a name. */
export const JobIcon = ({ name, size = 18 }: { readonly name: JobIconName; readonly size?: number }): ReactNode => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.8}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    <path d={PATHS[name]} />
  </svg>
);
