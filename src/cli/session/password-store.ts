/** Stores for passwords between sign-ins, for those who want one. */
import type { CommandContext } from './command-context.ts';
import type { SecretStore } from './keyring.ts';

/** What can keep a password; each has to be requested by its name. */
export const storeNames = ['keyring', 'file'] as const;

export type StoreName = (typeof storeNames)[number];

/** The store of one user of one server. Loads what it needs, and connects to nothing yet. */
export async function secretStore(
  cli: CommandContext,
  name: StoreName,
  url: string,
  username: string,
): Promise<SecretStore> {
  if (name === 'keyring') {
    const { keyringStore } = await import('./keyring.ts');
    return keyringStore(url, username);
  }
  const { encryptedStore } = await import('./encrypted-file.ts');
  return encryptedStore(cli, url, username);
}
