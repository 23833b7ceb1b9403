import pg, { type ClientBase, type Pool, type QueryResult } from 'pg';

/** The connection as the driver's query sees it; the protocol's message asks which columns an answer has. */
interface Connection {
  describe(portal: object): void;
}

/** Makes a row of its texts, in the order of the columns. */
type RowReader = (texts: readonly (string | null)[]) => object;

type Parser = (text: string) => unknown;

/** What the driver's query class has beside its published types. */
interface DriverQuery {
  name: string | undefined;
  values: readonly unknown[];
  readonly _result: {
    readonly fields: readonly { readonly name: string }[];
    readonly _parsers: readonly Parser[];
    readonly rows: object[];
  };
  _canceledDueToError: unknown;
  prepare(connection: Connection): void;
  handleRowDescription(message: object): void;
  handleDataRow(message: { readonly fields: (string | null)[] }): void;
}

/** What is known of one connection. */
interface Known {
  /** The same connection, but deaf to that question. */
  readonly silent: Connection;
  readonly readers: Map<string, RowReader>;
}

const DriverQuery = pg.Query as unknown as new (text: string) => DriverQuery;

/** Per connection: each prepares a statement for itself, and may have found other columns than the ones before it. */
const connections = new WeakMap<Connection, Known>();

/**
 * A named statement whose columns are asked for at its first execution on a connection only, and whose rows are read by
 * a function made for them. The driver asks at every execution, makes its parsers anew, and looks up each column of each
 * row by name: for a page of tasks that costs more than everything else between the database and the handler.
 */
class PreparedQuery extends DriverQuery {
  private known: Known | undefined;
  private read: RowReader | undefined;

  constructor(
    override name: string,
    text: string,
    override values: readonly unknown[],
  ) {
    super(text);
  }

  override prepare(connection: Connection): void {
    this.known = connections.get(connection) ?? meet(connection);
    this.read = this.known.readers.get(this.name);
    super.prepare(this.read === undefined ? connection : this.known.silent);
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message);
    const { fields, _parsers } = this._result;
    this.read = rowReader(
      fields.map(({ name }) => name),
      _parsers,
    );
    this.known?.readers.set(this.name, this.read);
  }

  /** As the driver does it: an error of a parser is told when the answer is complete. */
  override handleDataRow({ fields }: { readonly fields: (string | null)[] }): void {
    if (this.read === undefined || Boolean(this._canceledDueToError)) return;
    try {
      this._result.rows.push(this.read(fields));
    } catch (error) {
      this._canceledDueToError = error;
    }
  }
}

const TEXT = pg.types.getTypeParser(pg.types.builtins.TEXT);

/**
 * An object literal with all columns, compiled: every row of a statement then has one hidden class, and no column is
 * looked up. The names are those of a statement in the code, never a client's, and are quoted all the same.
 */
export function rowReader(names: readonly string[], parsers: readonly Parser[]): RowReader {
  const properties = names.map((name, at) => {
    const value = parsers[at] === TEXT ? `texts[${at}]` : `texts[${at}] === null ? null : parsers[${at}](texts[${at}])`;
    return `[${JSON.stringify(name)}]: ${value}`;
  });
  // oxlint-disable-next-line typescript/no-implied-eval -- see above
  const make = new Function('parsers', `return (texts) => ({ ${properties.join(', ')} });`);
  return (make as (parsers: readonly Parser[]) => RowReader)(parsers);
}

function meet(connection: Connection): Known {
  const silent = Object.create(connection, { describe: { value: () => undefined } }) as Connection;
  const known: Known = { silent, readers: new Map() };
  connections.set(connection, known);
  return known;
}

/** Runs a statement that stays prepared under its name. */
export function runPrepared(
  on: Pool | ClientBase,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    const query = new PreparedQuery(name, text, values);
    const run = on.query.bind(on) as unknown as (
      query: PreparedQuery,
      values: undefined,
      done: (error: Error | undefined, result: QueryResult) => void,
    ) => unknown;
    run(query, undefined, (error, result) => (error === undefined || error === null ? resolve(result) : reject(error)));
  });
}
