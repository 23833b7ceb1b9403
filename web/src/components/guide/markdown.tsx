import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import classes from './guide.module.css';

/** Pictures of this server are shown; those of others only linked, for the page asks nobody else. */
function Picture({ src, alt = '' }: { readonly src?: unknown; readonly alt?: string | undefined }): ReactNode {
  const address = typeof src === 'string' ? addressOf(src) : null;
  if (address === null) return <em>{alt}</em>;
  // Guides may have come from a server of another name: assets are found here by their path.
  const isAsset = address.pathname.startsWith('/api/assets/');
  if (isAsset || address.origin === window.location.origin)
    return <img src={`${address.pathname}${address.search}`} alt={alt} loading="lazy" />;
  return (
    <Anchor href={address.href} target="_blank" rel="noreferrer">
      {alt === '' ? address.href : alt}
    </Anchor>
  );
}

function addressOf(text: string): URL | null {
  try {
    return new URL(text, window.location.origin);
  } catch {
    return null;
  }
}

const COMPONENTS: Components = {
  // The page has its own first heading.
  h1: 'h2',
  h2: 'h3',
  h3: 'h4',
  h4: 'h5',
  h5: 'h6',
  img: ({ src, alt }) => <Picture src={src} alt={alt} />,
  a: ({ href, children }) => (
    <Anchor href={href} target="_blank" rel="noreferrer">
      {children}
    </Anchor>
  ),
  table: ({ children }) => (
    // a wide table is scrolled by keys as well
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes['table']} tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
};

const PLUGINS = [remarkGfm];

/** Markdown as elements. HTML within it is shown as text and never run. */
export const Markdown = ({ text }: { readonly text: string }): ReactNode => (
  <div className={classes['text']}>
    <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS}>
      {text}
    </ReactMarkdown>
  </div>
);
