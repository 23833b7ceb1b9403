import { DefaultNamingStrategy, type NamingStrategyInterface, type Table } from 'typeorm';

const snake = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
const tableName = (table: Table | string): string =>
  (typeof table === 'string' ? table : table.name).split('.').pop() ?? '';
const constraint = (prefix: string, table: Table | string, columns: readonly string[]): string =>
  [prefix, tableName(table), ...columns.map(snake)].join('_');

/** snake_case names for tables and columns, and readable constraint names for error messages and plans. */
export class SnakeNaming extends DefaultNamingStrategy implements NamingStrategyInterface {
  override tableName(className: string, customName?: string): string {
    return customName ?? snake(className);
  }

  override columnName(propertyName: string, customName: string | undefined, prefixes: string[]): string {
    return snake([...prefixes, customName ?? propertyName].join('_'));
  }

  override joinColumnName(relationName: string, referencedColumnName: string): string {
    return snake(`${relationName}_${referencedColumnName}`);
  }

  override primaryKeyName(table: Table | string): string {
    return constraint('pk', table, []);
  }

  override foreignKeyName(table: Table | string, columns: string[]): string {
    return constraint('fk', table, columns);
  }

  override uniqueConstraintName(table: Table | string, columns: string[]): string {
    return constraint('uq', table, columns);
  }

  override relationConstraintName(table: Table | string, columns: string[]): string {
    return constraint('uq', table, columns);
  }

  override indexName(table: Table | string, columns: string[]): string {
    return constraint('ix', table, columns);
  }
}
