/** The keyring of the desktop: Secret Service, Keychain or Credential Manager, through keytar. */
import { AuthError } from '../../client/errors.ts';

type Keytar = typeof import('keytar');

/** The password of one user of one server, wherever it is stored. */
export interface SecretStore {
  /** In words, for messages: `the keyring`. */
  readonly description: string;
  /** The password, or nothing when it is not there or cannot be had. */
  readonly load: () => Promise<string | undefined>;
  readonly save: (password: string) => Promise<void>;
  readonly forget: () => Promise<void>;
}

const service = 'vmctl';

/** A keyring may ask somebody to unlock it, or never answer at all. */
const timeout = 10_000;

/** Keeps the password of one user of one server. Every call throws when there is no keyring. */
export function keyringStore(url: string, username: string): SecretStore {
  const account = `${username} ${url}`;
  return {
    description: 'the keyring',
    load: () =>
      withKeyring(async (keytar) => (await keytar.getPassword(service, account)) ?? undefined),
    save: async (password) => {
      await probe();
      await withKeyring((keytar) => keytar.setPassword(service, account, password));
    },
    forget: async () => {
      await withKeyring((keytar) => keytar.deletePassword(service, account));
    },
  };
}

/** Writes, reads and removes an entry: a keyring that is locked or broken says so only then. */
export async function probe(): Promise<void> {
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
    timer = setTimeout(() => reject(new Error(`no response within ${timeout / 1_000} s`)), timeout);
  });
  try {
    return await Promise.race([load().then(use), tooLong]);
  } catch (error) {
    throw unusable(error);
  } finally {
    clearTimeout(timer);
  }
}

async function load(): Promise<Keytar> {
  const module = await import('keytar');
  return 'default' in module ? (module.default as Keytar) : module;
}

function unusable(error: unknown): AuthError {
  const { code, message } = error as NodeJS.ErrnoException;
  const why =
    code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND'
      ? 'the package keytar is not installed'
      : message;
  return new AuthError(`cannot use the keyring: ${why}`, {
    code: 'no_keyring',
    hint: 'use vmctl login --store file for an encrypted file, or --store none',
    cause: error,
  });
}
