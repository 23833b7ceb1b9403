import { type DumpRecord, isInteger, isText } from './dump-record.js';
import type { InvalidRecord } from './cvat-import-error.js';

/** A record refers to an account or group that has not been read yet: map it again later. */
export class NotYetRead extends Error {}

/**
 * Names of accounts and groups. Dumps refer to them by number, or by name (with `--natural-foreign`). They usually precede
 * everything that refers to them.
 */
export class People {
  private readonly ids = new Map<string, number>();
  private readonly emails = new Map<number, string>();
  private readonly groups = new Map<number, string>();
  private isComplete = false;

  addUser(username: string, id: number, email: string): void {
    this.ids.set(username, id);
    this.emails.set(id, email);
  }

  addGroup(id: number, name: string): void {
    this.groups.set(id, name);
  }

  /** From now on, who is missing is missing in the dump. */
  complete(): void {
    this.isComplete = true;
  }

  emailOf(record: DumpRecord, userId: number): string | undefined {
    const email = this.emails.get(userId);
    if (email === undefined && !this.isComplete) throw new NotYetRead(record.name);
    return email;
  }

  /** The id of the account that a field refers to. A number is checked later with the other references. */
  userId(record: DumpRecord, field: string): number {
    const id = this.userIdOrNull(record, field);
    if (id === null) throw record.wrong(field, 'an account');
    return id;
  }

  userIdOrNull(record: DumpRecord, field: string): number | null {
    const value = record.value(field);
    if (value === null || value === undefined) return null;
    if (isInteger(value)) return value;
    const name = Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : undefined;
    if (!isText(name)) throw record.wrong(field, 'an account');
    return this.ids.get(name) ?? this.missing(record, field, `the account "${name}"`);
  }

  /** The names of the groups in a field. */
  groupNames(record: DumpRecord, field: string): string[] {
    return record
      .list(field, 'groups', isGroup)
      .map((group) =>
        typeof group === 'number'
          ? (this.groups.get(group) ?? this.missing(record, field, `auth.group ${group}`))
          : group[0],
      );
  }

  private missing(record: DumpRecord, field: string, what: string): never {
    if (!this.isComplete) throw new NotYetRead(record.name);
    throw missing(record, field, what);
  }
}

const missing = (record: DumpRecord, field: string, what: string): InvalidRecord =>
  record.invalid(field, `${record.name} refers to ${what} (${field}), which the dump does not have.`);

const isGroup = (value: unknown): value is number | [string] =>
  isInteger(value) || (Array.isArray(value) && value.length === 1 && isText(value[0]));
