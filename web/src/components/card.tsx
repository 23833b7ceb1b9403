import type { ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './card.module.css';
import { Preview } from './preview';

interface CardProps {
  readonly to: string;
  readonly title: string;
  /** URL of the preview image. */
  readonly preview: string | null;
  readonly badge?: ReactNode;
  readonly menu?: ReactNode;
  readonly children: ReactNode;
}

/** A list item with a preview. The whole card is clickable; its title is the link. */
export const Card = ({ to, title, preview, badge, menu, children }: CardProps): ReactNode => (
  <li className={classes['card']}>
    <Preview src={preview} />
    <div className={classes['body']}>
      <div className={classes['head']}>
        <Link to={to} className={classes['link']} title={title}>
          {title}
        </Link>
        {badge}
        {menu !== undefined && <div className={classes['menu']}>{menu}</div>}
      </div>
      {children}
    </div>
  </li>
);
