/** How bricks are named: those that exist, and those that are to be made. */
import { UsageError } from '../../client/errors.ts';
import { isUuid } from './identifiers.ts';
import type { Finder } from './references.ts';

/** Bricks that exist: by id, or as `host:/directory`, which is their name. */
export function brickNames(words: readonly string[]): Readonly<Record<string, unknown>> {
  if (words.length === 0) return {};
  return { bricks: words.map((word) => (isUuid(word) ? { id: word } : { name: word })) };
}

/** `host:/directory` for each brick; the host by name or id. */
export async function newBricks(
  finder: Finder,
  words: readonly string[],
): Promise<readonly object[]> {
  if (words.length === 0) {
    throw new UsageError('no brick is given', { hint: 'write HOST:/DIRECTORY for each' });
  }
  const bricks: object[] = [];
  for (const word of words) {
    const [, host, directory] = /^([^:]+):(\/.*)$/.exec(word) ?? [];
    if (host === undefined) {
      throw new UsageError(`${word}: not a brick`, { hint: 'write HOST:/DIRECTORY' });
    }
    const server = await finder.reference(host, 'host');
    bricks.push({ server_id: 'id' in server ? server.id : server.name, brick_dir: directory });
  }
  return bricks;
}
