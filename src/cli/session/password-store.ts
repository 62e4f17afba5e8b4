/** Optional stores for passwords between sign-ins. */
import type { CommandContext } from './command-context.ts';
import type { SecretStore } from './keyring.ts';

/** Names of the stores; a user selects one by name. */
export const storeNames = ['keyring', 'file'] as const;

export type StoreName = (typeof storeNames)[number];

/** Creates the store of one user of one server. Loads its module, without connecting. */
export async function createSecretStore(
  cli: CommandContext,
  name: StoreName,
  url: string,
  username: string,
): Promise<SecretStore> {
  if (name === 'keyring') {
    const { createKeyringStore } = await import('./keyring.ts');
    return createKeyringStore(url, username);
  }
  const { createEncryptedStore } = await import('./encrypted-file.ts');
  return createEncryptedStore(cli, url, username);
}
