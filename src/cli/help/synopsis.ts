/** What reference pages say of a command, whatever they are written in. */
import type { CommandEntry, FlagEntry } from './command-manifest.ts';

/** `vmctl vms start [vm...]`, without flags. */
export function usageOf({ name, arguments: all }: CommandEntry): string {
  const words = all.map(({ name: argument, required, many }) => {
    const text = `${argument}${many ? '...' : ''}`;
    return required ? `<${text}>` : `[${text}]`;
  });
  return ['vmctl', name, ...words].join(' ');
}

/** `-f, --from-file TEXT`. */
export function flagText({ flag, aliases, value }: FlagEntry): string {
  const short = aliases.filter((one) => /^-\w$/.test(one));
  return [[...short, flag].join(', '), value ?? ''].join(' ').trim();
}

/** What a flag does, with the words that its value may be where the sentence lacks them. */
export function flagDoc({ doc, values }: FlagEntry): string {
  const words = values?.join(', ') ?? '';
  if (words === '' || doc.includes(values?.[0] ?? '')) return doc === words ? `${doc}.` : doc;
  return `${doc}${doc === '' || doc.endsWith('.') ? '' : '.'} ${words}.`.trim();
}

/** `POST /vms/{vm}/start`, each once. */
export function callsOf({ calls }: CommandEntry): readonly string[] {
  return [...new Set(calls.map(({ method, path }) => `${method} ${path}`))];
}
