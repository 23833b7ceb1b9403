import { anchorOf } from '#shared/anchor';
import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import classes from './guide.module.css';

/** Images of this server are shown. Those of other hosts are only linked, as the page makes no requests to them. */
function Image({ src, alt = '' }: { readonly src?: unknown; readonly alt?: string | undefined }): ReactNode {
  const url = typeof src === 'string' ? parseUrl(src) : null;
  if (url === null) return <em>{alt}</em>;
  // A guide may come from a server with another host name: assets are found by their path.
  const isAsset = url.pathname.startsWith('/api/assets/');
  if (isAsset || url.origin === window.location.origin)
    return <img src={`${url.pathname}${url.search}`} alt={alt} loading="lazy" />;
  return (
    <Anchor href={url.href} target="_blank" rel="noreferrer">
      {alt === '' ? url.href : alt}
    </Anchor>
  );
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text, window.location.origin);
  } catch {
    return null;
  }
}

const COMPONENTS: Components = {
  // The page has its own h1.
  h1: 'h2',
  h2: 'h3',
  h3: 'h4',
  h4: 'h5',
  h5: 'h6',
  img: ({ src, alt }) => <Image src={src} alt={alt} />,
  a: ({ href, children }) => (
    <Anchor href={href} target="_blank" rel="noreferrer">
      {children}
    </Anchor>
  ),
  table: ({ children }) => (
    // keyboard users can scroll a wide table
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes['table']} tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
};

const PLUGINS = [remarkGfm];

/** Headings that URLs can lead to. */
const ANCHORED: Components = {
  ...COMPONENTS,
  h2: ({ children }) => <h2 id={typeof children === 'string' ? anchorOf(children) : undefined}>{children}</h2>,
};

interface MarkdownProps {
  readonly text: string;
  /** Whether URLs can lead to headings of the second level, which keep it. */
  readonly withAnchors?: boolean;
}

/** Renders Markdown. HTML in it is shown as text. */
export const Markdown = ({ text, withAnchors = false }: MarkdownProps): ReactNode => (
  <div className={classes['text']}>
    <ReactMarkdown remarkPlugins={PLUGINS} components={withAnchors ? ANCHORED : COMPONENTS}>
      {text}
    </ReactMarkdown>
  </div>
);
