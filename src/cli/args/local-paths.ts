/** Arguments and flags whose values are paths on this computer, by the type that their declaration states. */
import { existsSync } from 'node:fs';
import type { Command, Options } from './command.ts';
import { type ArgumentSpec, camelCase, type FlagSpec, flagParts } from './parameters.ts';

/** By the type of a parameter: the path in a value, or undefined if the value is not a path. */
const pathIn: Readonly<Record<string, (value: string) => string | undefined>> = {
  file: unlessStream,
  folder: unlessStream,
  'file or url': (value) => (/^https?:\/\//i.test(value) ? undefined : unlessStream(value)),
  // As `vms create --image` decides.
  'file or disk': (value) =>
    /^(disks\/|https?:\/\/)/i.test(value) || !(value.includes('/') || existsSync(value))
      ? undefined
      : value,
  'name=@file': (value) => value.slice(value.lastIndexOf('=@') + 2),
};

/** Standard input and output are no files. */
function unlessStream(value: string): string | undefined {
  return value === '-' ? undefined : value;
}

/** Whether values of an argument or a flag are, or contain, paths on this computer. */
export function isLocalPath({ type }: Pick<ArgumentSpec | FlagSpec, 'type'>): boolean {
  return type !== undefined && Object.hasOwn(pathIn, type);
}

/** The local paths in the arguments and flags of a command. */
export function localPathsOf(
  { arguments: specs, flags }: Pick<Command, 'arguments' | 'flags'>,
  positionals: readonly unknown[],
  options: Options,
): readonly string[] {
  const given = [
    ...specs.map((spec, index) => [spec.type, positionals[index]] as const),
    ...flags.flatMap(({ notation, aliases = [], type }) =>
      [flagParts(notation).long, ...aliases].map(
        (name) => [type, options[camelCase(name)]] as const,
      ),
    ),
  ];
  return given.flatMap(([type = '', value]) => {
    const read = Object.hasOwn(pathIn, type) ? pathIn[type] : undefined;
    const values = (Array.isArray(value) ? value : [value]).filter(
      (one) => typeof one === 'string',
    );
    return read ? values.flatMap((one) => read(one) ?? []) : [];
  });
}
