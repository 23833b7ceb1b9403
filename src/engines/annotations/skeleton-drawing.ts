import { SaxesParser, type SaxesTagPlain } from 'saxes';

/** Elements that only draw. `a` is replaced by its content, and all others are removed with theirs. */
const ELEMENTS = new Set('svg g line circle ellipse rect polyline polygon path text tspan'.split(' '));
/** Attributes that only describe geometry, looks, or the sublabels (`data-…`). None of them takes a URL or a script. */
const ATTRIBUTE =
  /^(?:data-[\w.-]+|id|class|[xy][12]?|c[xy]|r[xy]?|d[xy]?|d|points|width|height|viewBox|version|transform|opacity|display|visibility|fill(?:-opacity|-rule)?|stroke(?:-\w+)?|font-(?:family|size|style|weight)|text-anchor|dominant-baseline|alignment-baseline|vector-effect|pathLength|preserveAspectRatio|role|xmlns|xml:space)$/;
const NAMESPACE = 'http://www.w3.org/2000/svg';
/** In attributes of looks: `url(…)` loads something, and a backslash can hide it. */
const LOADS = /url\s*\(|\\/i;

/**
 * The drawing of a skeleton without scripts, event handlers, links, styles, foreign elements, and everything else that is
 * not needed to draw. A drawing with none of these stays as it is, letter by letter; another one is written anew.
 */
export function safeDrawing(svg: string): string {
  const copy = new DrawingCopy();
  copy.read(svg);
  return copy.isFaithful ? svg : copy.text;
}

/** Reads text as XML, and goes on after errors. Whatever the input is, `text` is well-formed and has only what is listed. */
class DrawingCopy {
  text = '';
  /** False when something was removed, or other programs could read the input in another way. */
  isFaithful = true;
  /** For each open element, the name of its end tag; null: it has none. */
  private readonly open: (string | null)[] = [];
  /** How many of the open elements are removed with their content. */
  private removed = 0;

  read(svg: string): void {
    const unfaithful = (): void => void (this.isFaithful = false);
    const parser = new TolerantParser(unfaithful);
    parser.on('doctype', unfaithful);
    parser.on('comment', unfaithful);
    parser.on('processinginstruction', unfaithful);
    parser.on('xmldecl', unfaithful);
    parser.on('cdata', unfaithful);
    parser.on('text', (text) => this.addText(text));
    parser.on('opentag', (tag) => this.openTag(tag));
    parser.on('closetag', () => this.closeTag());
    parser.write(svg).close();
    while (this.open.length > 0) this.closeTag();
  }

  private addText(text: string): void {
    if (this.removed === 0) this.text += escaped(text);
  }

  private openTag({ name, attributes, isSelfClosing }: SaxesTagPlain): void {
    const isKept = ELEMENTS.has(name.toLowerCase());
    const isRemoved = this.removed > 0 || (!isKept && name !== 'a');
    if (!isKept || isRemoved) this.isFaithful = false;
    if (isRemoved) this.removed += 1;
    if (isRemoved || !isKept) return void this.open.push(null);
    const kept = Object.entries(attributes).filter(([key, value]) => isHarmless(key, value));
    if (kept.length < Object.keys(attributes).length) this.isFaithful = false;
    const written = kept.map(([key, value]) => ` ${key}="${escaped(value)}"`).join('');
    this.text += `<${name}${written}${isSelfClosing ? '/>' : '>'}`;
    this.open.push(isSelfClosing ? '' : `</${name}>`);
  }

  private closeTag(): void {
    const end = this.open.pop();
    if (this.removed > 0) this.removed -= 1;
    else this.text += end ?? '';
  }
}

/** Notes errors. The parser creates an error object for each, which takes seconds for a long text full of errors. */
class TolerantParser extends SaxesParser<{ xmlns?: false; fragment: true; position: false }> {
  constructor(private readonly onFault: () => void) {
    super({ fragment: true, position: false });
  }

  override fail(): this {
    this.onFault();
    return this;
  }
}

function isHarmless(name: string, value: string): boolean {
  if (!ATTRIBUTE.test(name)) return false;
  if (name === 'xmlns') return value === NAMESPACE;
  return name.startsWith('data-') || !LOADS.test(value);
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
