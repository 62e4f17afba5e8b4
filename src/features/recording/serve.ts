/** Replays in `vmctl serve --replay`. */
import { resolve } from 'node:path';
import type { ServeHandlers } from '../../cli/commands/serve/extension.ts';
import {
  createServerOptions,
  formatServeFlag,
  hasValue,
} from '../../cli/commands/serve/options.ts';
import { UsageError } from '../../client/errors.ts';
import { startReplay } from './replay/start.ts';

/** Flags that a replay supports. */
const supported: ReadonlySet<string> = new Set([
  ...['replay', 'listen', 'hostName', 'tlsCert', 'tlsKey', 'allowOrigin', 'delay'],
  ...['readyFile', 'env', 'detach', 'instance'],
]);

export const handlers: ServeHandlers<{ readonly replay?: string }> = {
  start: async ({ cli, flags, hasCommand, extensions }, { replay: file }) => {
    if (file === undefined) return undefined;
    const [other] =
      Object.entries(flags).find(([name, value]) => !supported.has(name) && hasValue(value)) ?? [];
    if (other !== undefined) {
      const flag = formatServeFlag(other);
      throw new UsageError(
        `${flag} is not valid with --replay, which only answers recorded requests`,
        { hint: `remove ${flag}` },
      );
    }
    const options = await createServerOptions(cli, flags, hasCommand);
    const recording = resolve(file);
    return async () => {
      const { requests, ...server } = await startReplay({ ...options, recording, extensions });
      return {
        ...server,
        uploadUrl: undefined,
        passwordFile: undefined,
        passwordIsNew: false,
        isReadOnly: true,
        nature: `answering ${requests} different requests from ${file}; any user name and password is accepted`,
      };
    };
  },
};
