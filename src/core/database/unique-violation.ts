/** Whether a statement violated the named unique index or constraint. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  const { code, constraint: broken } = (error ?? {}) as { code?: unknown; constraint?: unknown };
  return code === '23505' && broken === constraint;
}
