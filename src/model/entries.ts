/**
 * Tables whose entries are parsed on first use. The build generates the large tables in this form.
 */

/**
 * Creates a table that parses its entries on first use. It behaves like a plain object.
 * @param texts entries as JSON, by key
 */
export function createLazyTable(texts: Readonly<Record<string, string>>): Record<string, unknown> {
  const table: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(texts)) {
    Object.defineProperty(table, key, {
      configurable: true,
      enumerable: true,
      get: () => {
        const value: unknown = JSON.parse(texts[key] ?? '');
        Object.defineProperty(table, key, { value, enumerable: true });
        return value;
      },
    });
  }
  return table;
}
