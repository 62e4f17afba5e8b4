/** JSON in the notation of a database: sorted members, one space after each comma and colon. */

/** The normalized text; undefined for invalid JSON. */
export function normalizedJson(text: string): string | undefined {
  try {
    return write(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}: ${write(one)}`).join(', ')}}`;
}
