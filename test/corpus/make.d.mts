/** Files that are sent together, and what is to come of them. */
export interface Case {
  readonly label: string;
  /** By the names under which they are sent. */
  readonly files: Readonly<Record<string, Buffer>>;
  /** Of the request. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** What the refusal says; the name of the first file when absent. */
  readonly says?: string;
  /** The frames of the task, when it is harmless. */
  readonly frames?: readonly string[];
  /** Whether the chunk with these frames is refused. */
  readonly unreadable?: boolean;
}

export function corpus(): Promise<Case[]>;

/** The header of a member of a tar archive. @param size in bytes, as the header says it */
export function tarHeader(name: string, size: number): Buffer;
