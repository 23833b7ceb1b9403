interface Placed {
  readonly organization_id: number | null;
  readonly project_id: number | null;
}

/**
 * Rows that share a place, for telling their deletion. What is deleted together is of one project, hence almost always
 * one group.
 */
export function rowsByPlace<Row extends Placed>(rows: readonly Row[]): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = `${row.organization_id} ${row.project_id}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}
