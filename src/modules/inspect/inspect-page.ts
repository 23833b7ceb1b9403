import type { InspectArrivalDto } from './inspect.dto.js';

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
article{border:1px solid #8886;border-radius:.5rem;padding:.5rem 1rem;margin:1rem 0}pre{overflow:auto;white-space:pre-wrap}
.right{color:#2a8a3e}.wrong{color:#c92a2a}table{border-spacing:.5rem 0}th{text-align:left;font-weight:500}`;

/** A page that shows what came, the newest first, and is loaded anew when more comes. @param nonce of its script */
export function inspectPage(id: string, arrivals: readonly InspectArrivalDto[], nonce: string): string {
  const shown = arrivals.toReversed().map(article).join('\n');
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>What arrived</title><style nonce="${nonce}">${STYLE}</style>
<h1>What arrived</h1>
${shown === '' ? '<p>Nothing so far. Send something to this address by POST.</p>' : shown}
<script nonce="${nonce}">new EventSource('/inspect/${id}/live?after=${arrivals.at(-1)?.id ?? 0}').onmessage = () => location.reload()</script>
</html>
`;
}

function article({ received_date: received, headers, body, size, signatures }: InspectArrivalDto): string {
  const rows = Object.entries(headers).map(
    ([name, value]) => `<tr><th>${escaped(name)}</th><td>${escaped(value)}</td></tr>`,
  );
  const judged =
    signatures === null
      ? ''
      : verdict('webhook-signature', signatures.standard) + verdict('X-Signature-256', signatures.body);
  return `<article><h2>${escaped(received)}</h2>${judged}
<table>${rows.join('')}</table><p>${size} bytes</p><pre>${escaped(indented(body))}</pre></article>`;
}

const verdict = (name: string, problem: string | null): string =>
  problem === null ? `<p class="right">${name}: right</p>` : `<p class="wrong">${name}: ${escaped(problem)}</p>`;

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body; // what is no JSON is shown as it came
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
