/** Desktop keyring through keytar: Secret Service, Keychain or Credential Manager. */

import { getErrorCode, getErrorMessage } from '../../caught-errors.ts';
import { AuthError } from '../../client/errors.ts';

type Keytar = typeof import('keytar');

/** Store for the password of one user of one server. */
export interface SecretStore {
  /** Name in messages: `the keyring`. */
  readonly description: string;
  /** The password, or `undefined` if the store has none or cannot open it. */
  readonly load: () => Promise<string | undefined>;
  readonly save: (password: string) => Promise<void>;
  readonly forget: () => Promise<void>;
}

const service = 'vmctl';

/** Milliseconds. A keyring may wait for a person to unlock it, or never respond. */
const timeoutMs = 10_000;

/**
 * Creates the keyring store of one user of one server. Its methods throw `AuthError` without a
 * usable keyring.
 */
export function createKeyringStore(url: string, username: string): SecretStore {
  const account = `${username} ${url}`;
  return {
    description: 'the keyring',
    load: () =>
      withKeyring(async (keytar) => (await keytar.getPassword(service, account)) ?? undefined),
    save: async (password) => {
      await probeKeyring();
      await withKeyring((keytar) => keytar.setPassword(service, account, password));
    },
    forget: async () => {
      await withKeyring((keytar) => keytar.deletePassword(service, account));
    },
  };
}

/** Writes, reads and removes an entry. Only such a test detects a locked or broken keyring. */
export async function probeKeyring(): Promise<void> {
  const account = `probe ${process.pid}`;
  await withKeyring(async (keytar) => {
    await keytar.setPassword(service, account, 'probe');
    const found = await keytar.getPassword(service, account);
    await keytar.deletePassword(service, account);
    if (found !== 'probe') throw new Error('it returns another value than stored');
  });
}

async function withKeyring<T>(use: (keytar: Keytar) => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no response within ${timeoutMs / 1_000} s`)),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([loadKeytar().then(use), tooLong]);
  } catch (error) {
    throw keyringError(error);
  } finally {
    clearTimeout(timer);
  }
}

async function loadKeytar(): Promise<Keytar> {
  const module = await import('keytar');
  // Right because the CommonJS module is the default export of its ES module.
  return 'default' in module ? (module.default as Keytar) : module;
}

function keyringError(error: unknown): AuthError {
  const code = getErrorCode(error);
  const why =
    code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND'
      ? 'the package keytar is not installed'
      : getErrorMessage(error);
  return new AuthError(`cannot use the keyring: ${why}`, {
    code: 'no_keyring',
    hint: 'use vmctl login --store file for an encrypted file, or --store none',
    cause: error,
  });
}
