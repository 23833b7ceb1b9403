import type { ReactNode } from 'react';

const LINK = /\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/;

/** A message of the server. Links in Markdown lead to pages of this server, whatever the server's own name for itself. */
export function LinkedText({ text }: { readonly text: string }): ReactNode {
  const [whole = '', label = '', url = ''] = LINK.exec(text) ?? [];
  if (whole === '') return text;
  const at = text.indexOf(whole);
  const { pathname, search, hash } = new URL(url);
  return (
    <>
      {text.slice(0, at)}
      <a href={`${pathname}${search}${hash}`} target="_blank" rel="noreferrer">
        {label}
      </a>
      <LinkedText text={text.slice(at + whole.length)} />
    </>
  );
}
