/** What the service says is missing, as the flags that give it. */
import { VmctlError } from '../../client/errors.ts';
import { type EnumName, enums } from '../../model/enums.ts';
import { parseKind } from '../../model/index.ts';
import type { Meanings, VerbFlags } from './flags.ts';

/** So many words of an enumeration are named, of longer ones none. */
const shownWords = 5;

/** `Vm [cluster.id|name, template.id|name] required for add` (specification 4.5). */
const missing = /\[([^\]]+)\] required/;

/** The error with a hint that names flags, where the service refused for want of attributes. */
export function withFlagHint(error: unknown, { flags }: VerbFlags, { fields }: Meanings): unknown {
  if (!(error instanceof VmctlError) || error.hint !== undefined) return error;
  const [, list] = missing.exec(error.fault?.detail ?? '') ?? [];
  if (list === undefined) return error;
  const told = list.split(/,\s*/).map((rule) => {
    const path = snake(rule.split('|')[0] ?? '').replace(/\.(id|name)$/, '');
    const known = [...fields].find(
      ([, field]) =>
        field.path === path || field.path === `${path}.name` || field.path === `${path}.id`,
    );
    const flag = known && flags.find(({ key }) => key === known[0]);
    if (!known || !flag) return `--set ${path}=...`;
    const { form, of } = parseKind(known[1].kind);
    const words: readonly string[] = form === 'enum' ? enums[of as EnumName] : [];
    const value = words.length > 0 && words.length <= shownWords ? words.join('|') : flag.value;
    return `--${flag.names[0]}${value === undefined ? '' : ` ${value}`}`;
  });
  return Object.assign(error, { hint: `give ${told.join(', ')}` });
}

/** Some services write attributes as their program does: `dataCenter`. */
function snake(path: string): string {
  return path.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
