/** How bricks are named that exist already. */
import { isUuid } from './references.ts';

/** Bricks that exist: by id, or as `host:/directory`, which is their name. */
export function brickNames(words: readonly string[]): Readonly<Record<string, unknown>> {
  if (words.length === 0) return {};
  return { bricks: words.map((word) => (isUuid(word) ? { id: word } : { name: word })) };
}
