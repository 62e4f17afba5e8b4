/** `vmctl serve --replay`: what it takes from the flags, and what it refuses. */
import { resolve } from 'node:path';
import { UsageError } from '../../../client/errors.ts';
import { startReplay } from '../../../server/replay/start.ts';
import type { CommandContext } from '../../session/command-context.ts';
import type { AnnouncedServer } from './announce.ts';
import { flagOf, isGiven, type ServeFlags, serverOptions } from './options.ts';

/** Flags that mean something for answers that are there already. */
const understood: ReadonlySet<string> = new Set([
  ...['replay', 'listen', 'hostName', 'tlsCert', 'tlsKey', 'allowOrigin', 'delay'],
  ...['readyFile', 'env', 'detach', 'instance'],
]);

/** What starts the replay of a file. Throws a usage error for flags of a server with a store. */
export async function replayOf(
  cli: CommandContext,
  file: string,
  flags: ServeFlags,
  hasCommand: boolean,
): Promise<() => Promise<AnnouncedServer>> {
  const other = Object.entries(flags).find(
    ([name, value]) => !understood.has(name) && isGiven(value),
  );
  if (other) {
    const [name] = other;
    const flag = flagOf(name);
    throw new UsageError(
      `${flag} is not valid with --replay, which only answers recorded requests`,
      {
        hint: `remove ${flag}`,
      },
    );
  }
  const { listen, hostNames, allowOrigins, tlsCert, tlsKey, faults, log } = await serverOptions(
    cli,
    flags,
    hasCommand,
  );
  const recording = resolve(file);
  return async () => {
    const { requests, ...server } = await startReplay({
      ...{ listen, hostNames, allowOrigins, tlsCert, tlsKey, faults, log },
      recording,
    });
    return {
      ...server,
      uploadUrl: undefined,
      passwordFile: undefined,
      passwordIsNew: false,
      nature: `answering ${requests} different requests from ${file}; any user name and password is accepted`,
    };
  };
}
