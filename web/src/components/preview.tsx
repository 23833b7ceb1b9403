import { type ReactNode, useState } from 'react';
import { Icon } from './icons';
import classes from './preview.module.css';

/** The preview of a project, task or job, or an icon if there is none. Hidden from screen readers, as the name is next to it. */
export function Preview({ src }: { readonly src: string | null }): ReactNode {
  const [broken, setBroken] = useState<string | null>(null);
  return (
    <div className={classes['frame']}>
      {src === null || src === broken ? (
        <Icon name="image" size={28} />
      ) : (
        <img src={src} alt="" loading="lazy" decoding="async" onError={() => setBroken(src)} />
      )}
    </div>
  );
}
