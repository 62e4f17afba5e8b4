/** What every command gets: streams, settings, the signal that ends it. Built when first used. */
import type { Command } from 'commander';
import type { Io } from './io.ts';
import { type Found, find, type SettingName } from './session/settings.ts';

export class Cli {
  readonly io: Io;
  /** Aborted by Ctrl-C, by SIGTERM and when `--timeout` has passed. */
  readonly signal: AbortSignal;
  #options: Readonly<Record<string, unknown>> = {};

  constructor(io: Io, signal: AbortSignal) {
    this.io = io;
    this.signal = signal;
  }

  /** Takes over the flags of the command that is about to run. */
  use(command: Command): void {
    const options: Record<string, unknown> = {};
    for (let at: Command | null = command; at; at = at.parent) {
      for (const [name, value] of Object.entries(at.opts())) {
        if (at.getOptionValueSource(name) === 'cli') options[name] ??= value;
      }
    }
    this.#options = options;
  }

  /** A setting from flag or environment, with its origin. */
  setting(name: SettingName): Found | undefined {
    return find(name, { options: this.#options, env: this.io.env });
  }
}
