import type { ReactNode, SVGProps } from 'react';

const PATHS = {
  actualSize: 'M6 8l2-1v10M16 8l2-1v10M12 10h.01M12 14h.01',
  alert: 'M12 9v4M12 17h.01M10.3 3.9 2.5 17.5A2 2 0 0 0 4.2 20.5h15.6a2 2 0 0 0 1.7-3L13.7 3.9a2 2 0 0 0-3.4 0Z',
  arrowRight: 'M5 12h14M13 6l6 6-6 6',
  back: 'M15 5l-7 7 7 7',
  backFar: 'M19 5l-7 7 7 7M11 5l-7 7 7 7',
  brush: 'M20 4 11 13M14 16a4 4 0 0 0-6-4c-2 1-1 4-4 6 3 2 8 2 10-2z',
  chart: 'M4 20h16M7 20v-6M12 20V5M17 20v-9',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  chevronDown: 'M6 9l6 6 6-6',
  clicks: 'M9 9l9 4-4 1.5L12.5 19zM5 5l2 2M10 3v3M3 10h3',
  close: 'M6 6l12 12M18 6L6 18',
  comment: 'M4 5h16v11H10l-4 4v-4H4z',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  cuboid: 'M4 8h11v12H4zM9 4h11v12M4 8l5-4M15 8l5-4M15 20l5-4',
  cursor: 'M5 4l14 7-6 2-2 6z',
  detect: 'M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M9 9h6v6H9z',
  ellipse: 'M12 6c5 0 9 2.7 9 6s-4 6-9 6-9-2.7-9-6 4-6 9-6z',
  dots: 'M12 6h.01M12 12h.01M12 18h.01',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  eraser: 'M9 20 4 15 14 5l6 6-9 9zM9 10l6 6M9 20h11',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
  eyeOff:
    'M4 4l16 16M9.5 6A9 9 0 0 1 12 5.5c6 0 9.5 6.5 9.5 6.5a17 17 0 0 1-3 3.7M6 7.5A17 17 0 0 0 2.5 12S6 18.5 12 18.5a9 9 0 0 0 4-1',
  film: 'M4 5h16v14H4zM8 5v14M16 5v14M4 9.5h4M4 14.5h4M16 9.5h4M16 14.5h4',
  filter: 'M4 5h16l-6 8v5l-4 2v-7z',
  first: 'M6 5v14M18 5l-9 7 9 7z',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  folder: 'M3 6h6l2 2h10v11H3z',
  forward: 'M9 5l7 7-7 7',
  forwardFar: 'M5 5l7 7-7 7M13 5l7 7-7 7',
  group: 'M4 4h10v10H4zM10 10h10v10H10z',
  hand: 'M8 12V6.5a1.5 1.5 0 0 1 3 0V11M11 11V5a1.5 1.5 0 0 1 3 0v6M14 11V6.5a1.5 1.5 0 0 1 3 0V14a6 6 0 0 1-6 6.5c-3 0-4.5-1.5-5.5-3.5L3.5 13.5a1.5 1.5 0 0 1 2.5-1.5l2 2',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01',
  job: 'M4 5h16v14H4zM8 9h8M8 13h5',
  key: 'M14 10a4 4 0 1 0-3.5 3.97L12 15.5V18h2.5v2H18v-3.5l-4.2-4.2A4 4 0 0 0 14 10zM8.5 9h.01',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8',
  keyframes: 'M3 12h3M10 12h4M18 12h3M8 9l3 3-3 3-3-3zM16 9l3 3-3 3-3-3z',
  last: 'M18 5v14M6 5l9 7-9 7z',
  logout: 'M10 4H5v16h5M14 8l4 4-4 4M18 12H9',
  model: 'M8 4h8v4H8zM3 16h6v4H3zM15 16h6v4h-6zM12 8v4M6 16v-4h12v4',
  mask: 'M5 9c0-4 4-6 8-5s7 4 6 8-4 3-5 6-4 3-6 1-3-6-3-10zM9 9h.01M13 8h.01M11 13h.01M15 11h.01',
  minus: 'M5 12h14',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  organization: 'M4 20V6l8-3v17M12 9h8v11M4 20h17M8 8h.01M8 12h.01M8 16h.01M16 13h.01M16 17h.01',
  pause: 'M9 5v14M15 5v14',
  pin: 'M12 21s7-6.5 7-11.5a7 7 0 1 0-14 0C5 14.5 12 21 12 21zM12 7v4M12 13.5h.01',
  play: 'M7 5l12 7-12 7z',
  plus: 'M12 5v14M5 12h14',
  points: 'M6 7h.01M17 6h.01M12 12h.01M7 18h.01M18 17h.01',
  polygon: 'M12 3l8 6-3 10H7L4 9z',
  polygonMinus: 'M11 4l7 5-2 4M11 19H6L4 9l7-5M14 18h7',
  polygonPlus: 'M11 4l7 5-2 4M11 19H6L4 9l7-5M14 18h7M17.5 14.5v7',
  polyline: 'M4 18l5-9 5 5 6-10',
  quality: 'M4 6h16v12H4zM8 10v4M8 12h3M11 10v4M14 10h1.5a2 2 0 0 1 0 4H14z',
  rectangle: 'M4 6h16v12H4z',
  redo: 'M15 4l5 5-5 5M20 9H9a5 5 0 0 0 0 10h4',
  refresh: 'M20 11A8 8 0 0 0 6.3 6.3L4 8.5M4 4v4.5h4.5M4 13a8 8 0 0 0 13.7 4.7L20 15.5M20 20v-4.5h-4.5',
  request: 'M12 3a9 9 0 1 0 9 9M12 7v5l3 3M16 3.9A9 9 0 0 1 20.1 8',
  rotate: 'M19 5v5h-5M19 10a8 8 0 1 0 1 5',
  ruler: 'M3 15L15 3l6 6L9 21zM7 11l2 2M10 8l3 3M13 5l2 2',
  scissors: 'M6 4a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM6 15a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5zM8 8l12 9M8 16l12-9',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5',
  skeleton: 'M12 5v7M12 12l-5 7M12 12l5 7M6 9h12',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  settings: 'M4 7h9M17 7h3M4 12h3M11 12h9M4 17h9M17 17h3M15 5v4M9 10v4M15 15v4',
  tag: 'M4 4h8l8 8-8 8-8-8zM8.5 8.5h.01',
  task: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  track: 'M3 6h6v5H3zM15 13h6v5h-6zM9 8.5h4a2 2 0 0 1 2 2V13M12 15.5h3',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  undo: 'M9 4L4 9l5 5M4 9h11a5 5 0 0 1 0 10h-4',
  upload: 'M12 16V5M7 9l5-5 5 5M5 20h14',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4.5 20.5a7.5 7.5 0 0 1 15 0',
  webhook: 'M12 9a3 3 0 1 0-2.5-1.3L7 13M7 13a3 3 0 1 0 3 3h6M16 16a3 3 0 1 0 1.5-2.6L14.5 8',
} as const;

export type IconName = keyof typeof PATHS;

interface IconProps extends SVGProps<SVGSVGElement> {
  readonly name: IconName;
  /** Edge in pixels. */
  readonly size?: number;
}

/** An icon, hidden from screen readers. The text next to it or the name of its button says what it means. */
export const Icon = ({ name, size = 18, ...rest }: IconProps): ReactNode => (
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
    {...rest}
  >
    <path d={PATHS[name]} />
  </svg>
);
