/** How much there is to write of a value: what is large is written in pieces. */

/** Values that are written in one go: about a millisecond of work, and far more than most objects have. */
const mostAtOnce = 500;

/** Whether a value holds more values than are written in one go. No more of them are looked at. */
export function isLarge(value: unknown): boolean {
  return left(value, mostAtOnce) < 0;
}

/** What is left of a number of values when those of this one are taken from it. */
function left(value: unknown, most: number): number {
  let rest = most - 1;
  if (typeof value !== 'object' || value === null) return rest;
  if (Array.isArray(value)) {
    for (const one of value as readonly unknown[]) {
      rest = left(one, rest);
      if (rest < 0) return rest;
    }
    return rest;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name in fields) {
    rest = left(fields[name], rest);
    if (rest < 0) return rest;
  }
  return rest;
}
