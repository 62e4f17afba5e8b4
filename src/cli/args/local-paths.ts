/** Local paths in arguments and flags, found by their declared types. */
import { existsSync } from 'node:fs';
import type { Command, Options } from './command.ts';
import { type ArgumentSpec, type FlagSpec, parseFlagNotation, toCamelCase } from './parameters.ts';

/**
 * Readers by the type of a parameter. A reader returns the path in a value; undefined if it has
 * none.
 */
const pathReaders: Readonly<Record<string, (value: string) => string | undefined>> = {
  file: readFilePath,
  folder: readFilePath,
  'file or url': (value) => (/^https?:\/\//i.test(value) ? undefined : readFilePath(value)),
  // Same decision as in `vms create --image`.
  'file or disk': (value) =>
    /^(disks\/|https?:\/\/)/i.test(value) || !(value.includes('/') || existsSync(value))
      ? undefined
      : value,
  'name=@file': (value) => value.slice(value.lastIndexOf('=@') + 2),
};

/** `-` is standard input or output, not a file. */
function readFilePath(value: string): string | undefined {
  return value === '-' ? undefined : value;
}

/** Whether values of an argument or flag are, or contain, local paths. */
export function isLocalPath({ type }: Pick<ArgumentSpec | FlagSpec, 'type'>): boolean {
  return type !== undefined && Object.hasOwn(pathReaders, type);
}

/** Lists the local paths in the arguments and flags of a command. */
export function listLocalPaths(
  { arguments: specs, flags }: Pick<Command, 'arguments' | 'flags'>,
  positionals: readonly unknown[],
  options: Options,
): readonly string[] {
  const given = [
    ...specs.map((spec, index) => [spec.type, positionals[index]] as const),
    ...flags.flatMap(({ notation, aliases = [], type }) =>
      [parseFlagNotation(notation).long, ...aliases].map(
        (name) => [type, options[toCamelCase(name)]] as const,
      ),
    ),
  ];
  return given.flatMap(([type = '', value]) => {
    const read = Object.hasOwn(pathReaders, type) ? pathReaders[type] : undefined;
    const values = (Array.isArray(value) ? value : [value]).filter(
      (one) => typeof one === 'string',
    );
    return read ? values.flatMap((one) => read(one) ?? []) : [];
  });
}
