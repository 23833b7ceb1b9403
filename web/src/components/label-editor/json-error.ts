const TOKEN =
  /[ \t\n\r]*(?:([[\]{}:,])|("(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|$)/uy;

interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Finds the first syntax error in JSON. Not all browsers report its position.
 * @returns line and column, counted from 1, or undefined for valid JSON
 */
export function jsonErrorPosition(text: string): Position | undefined {
  const at = new Reader(text).errorAt();
  if (at === undefined) return undefined;
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** A parser that reads tokens until one does not fit the grammar of JSON. */
class Reader {
  private position = 0;
  private start = 0;
  private sign = '';
  private kind: 'sign' | 'text' | 'scalar' | 'end' | 'wrong' = 'end';

  constructor(private readonly text: string) {
    this.next();
  }

  errorAt(): number | undefined {
    return this.value() && this.kind === 'end' ? undefined : this.start;
  }

  private next(): void {
    this.start = this.position + (/^[ \t\n\r]*/.exec(this.text.slice(this.position))?.[0].length ?? 0);
    TOKEN.lastIndex = this.position;
    const [whole, sign = '', text, scalar] = TOKEN.exec(this.text) ?? [];
    this.sign = sign;
    if (whole === undefined) this.kind = 'wrong';
    else this.kind = sign !== '' ? 'sign' : text !== undefined ? 'text' : scalar === undefined ? 'end' : 'scalar';
    this.position += whole?.length ?? 0;
  }

  private value(): boolean {
    if (this.takes('[')) return this.takes(']') || this.members(']', () => this.value());
    if (this.takes('{')) return this.takes('}') || this.members('}', () => this.member());
    if (this.kind !== 'text' && this.kind !== 'scalar') return false;
    this.next();
    return true;
  }

  private member(): boolean {
    if (this.kind !== 'text') return false;
    this.next();
    return this.takes(':') && this.value();
  }

  private members(end: string, one: () => boolean): boolean {
    do {
      if (!one()) return false;
    } while (this.takes(','));
    return this.takes(end);
  }

  private takes(sign: string): boolean {
    if (this.kind !== 'sign' || this.sign !== sign) return false;
    this.next();
    return true;
  }
}
