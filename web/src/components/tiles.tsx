import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './tiles.module.css';

/** A number that matters, with what it means. */
export interface Tile {
  readonly title: string;
  readonly value: string;
  readonly text: string;
  readonly more?: ReactNode;
}

/** The most important numbers of a page. */
export const Tiles = ({ tiles }: { readonly tiles: readonly Tile[] }): ReactNode => (
  <dl className={classes['tiles']}>
    {tiles.map(({ title, value, text, more }) => (
      <div key={title} className="panel panel--padded">
        <dt>{title}</dt>
        <dd className={classes['value']}>{value}</dd>
        <dd>
          <Text size="xs" c="dimmed">
            {text}
          </Text>
          {more}
        </dd>
      </div>
    ))}
  </dl>
);
