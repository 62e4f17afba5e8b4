/** PostgreSQL in `vmctl serve`: store driver and `--copy-store`. */
import type { ServeHandlers } from '../../cli/commands/serve/extension.ts';
import { isPostgresAddress } from './address.ts';

export const handlers: ServeHandlers<{ readonly copyStore?: string }> = {
  store: {
    example: 'postgres://USER@HOST:PORT/NAME',
    isAddress: isPostgresAddress,
    load: async () => (await import('./driver.ts')).postgresDriver,
  },
  perform: async ({ cli, flags, words }, { copyStore: from }) => {
    if (from === undefined) return false;
    const { copyStore } = await import('./copy-store.ts');
    await copyStore(cli, from, words, flags);
    return true;
  },
};
