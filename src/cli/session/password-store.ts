/** Where a password is kept between sign-ins, when somebody asks for it. */
import type { CommandContext } from './command-context.ts';

export interface SecretStore {
  /** In words, for messages: `the keyring`. */
  readonly description: string;
  /** The password, or nothing when it is not there or cannot be had. */
  readonly load: () => Promise<string | undefined>;
  readonly save: (password: string) => Promise<void>;
  readonly forget: () => Promise<void>;
}

/** Places where passwords can be kept; each has to be asked for by its name. */
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
