/** Tables whose entries are read when somebody first asks for them: the build makes the large ones so. */

/**
 * A table of entries that are given as JSON. To whoever looks into it, it is an object like any other.
 * @param texts the entries by their keys
 */
export function entriesOf(texts: Readonly<Record<string, string>>): Record<string, unknown> {
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
