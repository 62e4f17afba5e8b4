/** The flags that every command understands, as commander wants them. */
import { type Command, Option } from 'commander';
import { settingNames, settings } from '../session/settings.ts';

const global = new WeakSet<Option>();

/** Adds them to a command, except where it has one of the same name itself. */
export function addGlobalFlags(command: Command): void {
  for (const name of settingNames) {
    const { flags, doc } = settings[name];
    if (flags === undefined) continue;
    const option = new Option(flags, doc).hideHelp();
    const taken = command.options.some(
      (own) => own.long === option.long || (own.short !== undefined && own.short === option.short),
    );
    if (taken) continue;
    global.add(option);
    command.addOption(option);
  }
}

/** Their values for a command, given before or behind its name. */
export function globalValues(command: Command): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (let at: Command | null = command; at; at = at.parent) {
    for (const option of at.options) {
      const name = option.attributeName();
      if (!global.has(option) || at.getOptionValueSource(name) !== 'cli') continue;
      values[name] ??= at.getOptionValue(name);
    }
  }
  return values;
}
