import { CvatImportError } from './cvat-import-error.js';
import { type DumpRecord, isInteger, isText } from './read-dump.js';

/**
 * Names of accounts and groups. Dumps refer to them by number or by name (with `--natural-foreign`, where accounts and
 * groups precede everything that refers to them).
 */
export class People {
  private readonly ids = new Map<string, number>();
  private readonly emails = new Map<number, string>();
  private readonly groups = new Map<number, string>();

  addUser(username: string, id: number, email: string): void {
    this.ids.set(username, id);
    this.emails.set(id, email);
  }

  addGroup(id: number, name: string): void {
    this.groups.set(id, name);
  }

  emailOf(userId: number): string | undefined {
    return this.emails.get(userId);
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
    const id = this.ids.get(name);
    if (id !== undefined) return id;
    throw new CvatImportError(
      `${record.name} refers to the account "${name}" (${field}), which the dump does not have before it.`,
    );
  }

  /** The names of the groups in a field. */
  groupNames(record: DumpRecord, field: string): string[] {
    return record.list(field, 'groups', isGroup).map((group) => {
      const name = typeof group === 'number' ? this.groups.get(group) : group[0];
      if (name !== undefined) return name;
      throw new CvatImportError(
        `${record.name} refers to auth.group ${String(group)}, which the dump does not have before it.`,
      );
    });
  }
}

const isGroup = (value: unknown): value is number | [string] =>
  isInteger(value) || (Array.isArray(value) && value.length === 1 && isText(value[0]));
