import type { ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './card.module.css';
import { Preview } from './preview';

interface CardProps {
  readonly to: string;
  readonly title: string;
  /** Address of the picture. */
  readonly preview: string | null;
  readonly badge?: ReactNode;
  readonly menu?: ReactNode;
  readonly children: ReactNode;
}

/** Something with a picture, in a list of such. All of it leads to its page; its name is the link. */
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
