/** Used only in this file: an error and its position. */
class Problem extends Error {
  constructor(
    readonly reason: string,
    /** UTF-16 units from the start. */
    readonly position?: number,
  ) {
    super(reason);
  }
}

/**
 * The error of Python's `json.loads` for invalid JSON: `Expecting value: line 1 column 1 (char 0)`. Clients know these
 * messages, which are more specific than those of `JSON.parse`. The rules are those of CPython 3.10's `_json.c`. For
 * constants such as NaN, which Python accepts, the message is that of a strict parser.
 */
export function describeJsonError(text: string): string {
  try {
    new JsonReader(text).read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.position === undefined ? error.reason : `${error.reason}: ${place(text, error.position)}`;
  }
  return 'The text cannot be read';
}

/** Python counts code points, JavaScript counts UTF-16 units. */
function place(text: string, position: number): string {
  const before = text.slice(0, position);
  const lastBreak = before.lastIndexOf('\n');
  const line = lastBreak < 0 ? 1 : before.split('\n').length;
  return `line ${line} column ${codePoints(before.slice(lastBreak + 1)) + 1} (char ${codePoints(before)})`;
}

function codePoints(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

const SPACE = /[ \t\n\r]*/y;
const CONSTANT = /null|true|false/y;
const NOT_JSON = /NaN|-?Infinity/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;

/** Scans one document without building it. Containers are kept in a list, so depth does not use the call stack. */
class JsonReader {
  private at = 0;
  private readonly open: ('[' | '{')[] = [];

  constructor(private readonly text: string) {}

  read(): void {
    if (this.peek() === '\ufeff') throw new Problem('Unexpected UTF-8 BOM (decode using utf-8-sig)', 0);
    this.skipSpace();
    do {
      if (this.enterValue()) this.leaveContainers();
    } while (this.open.length > 0);
    this.skipSpace();
    if (this.at < this.text.length) throw new Problem('Extra data', this.at);
  }

  private peek(): string | undefined {
    return this.text[this.at];
  }

  /** Reads a scalar or enters a container. Returns true when a value is complete. */
  private enterValue(): boolean {
    const character = this.peek();
    if (character === '{' || character === '[') {
      this.at += 1;
      this.skipSpace();
      if (this.peek() === (character === '{' ? '}' : ']')) {
        this.at += 1;
        return true;
      }
      this.open.push(character);
      if (character === '{') this.key();
      return false;
    }
    if (character === '"') this.string();
    else this.constantOrNumber();
    return true;
  }

  /** Runs after a value: closes the containers that end here, or advances to the next item. */
  private leaveContainers(): void {
    for (let container = this.open.at(-1); container !== undefined; container = this.open.at(-1)) {
      this.skipSpace();
      if (this.peek() !== (container === '{' ? '}' : ']')) return this.nextItem(container);
      this.at += 1;
      this.open.pop();
    }
  }

  private nextItem(container: '[' | '{'): void {
    if (this.peek() !== ',') throw new Problem("Expecting ',' delimiter", this.at);
    this.at += 1;
    this.skipSpace();
    if (container === '{') this.key();
  }

  private key(): void {
    if (this.peek() !== '"') throw new Problem('Expecting property name enclosed in double quotes', this.at);
    this.string();
    this.skipSpace();
    if (this.peek() !== ':') throw new Problem("Expecting ':' delimiter", this.at);
    this.at += 1;
    this.skipSpace();
  }

  private string(): void {
    const start = this.at;
    for (this.at += 1; this.peek() !== '"'; this.at += 1) {
      const character = this.peek();
      if (character === undefined) throw new Problem('Unterminated string starting at', start);
      if (character < ' ') throw new Problem('Invalid control character at', this.at);
      if (character === '\\') this.escape(start);
    }
    this.at += 1;
  }

  /** Stops on the last character of the escape. */
  private escape(start: number): void {
    this.at += 1;
    const character = this.peek();
    if (character === undefined) throw new Problem('Unterminated string starting at', start);
    if (character !== 'u') {
      if (!'"\\/bfnrt'.includes(character)) throw new Problem('Invalid \\escape', this.at - 1);
      return;
    }
    const digits = this.text.slice(this.at + 1, this.at + 5);
    const followed = this.at + 5 < this.text.length;
    if (!followed || !/^[0-9a-fA-F]{4}$/.test(digits)) throw new Problem('Invalid \\uXXXX escape', this.at);
    this.at += 4;
  }

  private constantOrNumber(): void {
    const wrong = this.match(NOT_JSON);
    if (wrong !== undefined) throw new Problem(`Out of range float values are not JSON compliant: '${wrong}'`);
    const word = this.match(CONSTANT) ?? this.match(NUMBER);
    if (word === undefined) throw new Problem('Expecting value', this.at);
    this.at += word.length;
  }

  /** The match of a sticky expression at the current position. */
  private match(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    return expression.exec(this.text)?.[0];
  }

  private skipSpace(): void {
    this.at += this.match(SPACE)?.length ?? 0;
  }
}
