/**
 * Encrypted file for a password, for computers without a keyring.
 * AES-256-GCM with a key that scrypt derives from a passphrase. Only the owner can read the file.
 */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { AuthError } from '../../client/errors.ts';
import type { CommandContext } from './command-context.ts';
import type { SecretStore } from './keyring.ts';
import { readPrivate, writePrivate } from './private-file.ts';
import { askSecret, canPrompt } from './prompt.ts';
import { formatAccountFile } from './xdg-paths.ts';

interface EncryptedPassword {
  readonly version: 1;
  readonly kdf: {
    readonly name: 'scrypt';
    readonly n: number;
    readonly r: number;
    readonly p: number;
  };
  /** Salt, initialization vector, tag and data are in base64. */
  readonly salt: string;
  readonly iv: string;
  readonly tag: string;
  readonly data: string;
}

const cost = { n: 2 ** 15, r: 8, p: 1 } as const;
/** Memory limit in bytes: twice the requirement of scrypt at this cost. */
const memory = 2 * 128 * cost.n * cost.r;

/** Creates the store for the password of one user of one server. */
export function createEncryptedStore(
  cli: CommandContext,
  url: string,
  username: string,
): SecretStore {
  const file = join(cli.paths.stateDirectory, 'passwords', formatAccountFile(url, username));
  return {
    description: `the encrypted file ${file}`,
    load: async () => {
      const text = readPrivate(file, 'secret');
      if (text === undefined) return undefined;
      return await decrypt(parseFile(text), await readPassphrase(cli, file), file);
    },
    save: async (password) => {
      const sealedText = await encrypt(password, await readNewPassphrase(cli, file));
      writePrivate(file, `${JSON.stringify(sealedText, null, 2)}\n`);
    },
    forget: async () => rmSync(file, { force: true }),
  };
}

function parseFile(text: string): EncryptedPassword {
  // Right because only `save` writes the file; AES-GCM detects other contents.
  return JSON.parse(text) as EncryptedPassword;
}

async function encrypt(password: string, phrase: string): Promise<EncryptedPassword> {
  const salt = randomBytes(16);
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', await deriveKey(phrase, salt, cost), iv);
  const data = Buffer.concat([cipher.update(password, 'utf8'), cipher.final()]);
  return {
    version: 1,
    kdf: { name: 'scrypt', ...cost },
    salt: salt.toString('base64'),
    iv: iv.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  };
}

async function decrypt(
  { kdf, salt, iv, tag, data }: EncryptedPassword,
  phrase: string,
  file: string,
): Promise<string> {
  try {
    const key = await deriveKey(phrase, Buffer.from(salt, 'base64'), kdf);
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'));
    decipher.setAuthTag(Buffer.from(tag, 'base64'));
    const text = Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]);
    return text.toString('utf8');
  } catch (error) {
    throw new AuthError(`cannot open ${file}: the passphrase is wrong, or the file is damaged`, {
      code: 'wrong_passphrase',
      hint: 'store the password again with vmctl login --store file',
      cause: error,
    });
  }
}

async function deriveKey(
  phrase: string,
  salt: Buffer,
  { n, r, p }: { readonly n: number; readonly r: number; readonly p: number },
): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    scrypt(phrase.normalize('NFC'), salt, 32, { N: n, r, p, maxmem: memory }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

/** Reads the passphrase of an existing file from the environment or from the terminal. */
async function readPassphrase(cli: CommandContext, file: string): Promise<string> {
  const given = cli.setting('passphrase')?.value;
  if (given !== undefined) return given;
  if (canPrompt(cli.io, cli.isOn('noInput'))) {
    return await askSecret(cli.io, `Passphrase of ${file}: `, cli.signal);
  }
  throw new AuthError(`no passphrase for ${file}, and no terminal to ask for it`, {
    code: 'no_passphrase',
    hint: 'set VMCTL_PASSPHRASE',
  });
}

async function readNewPassphrase(cli: CommandContext, file: string): Promise<string> {
  const given = cli.setting('passphrase')?.value;
  if (given !== undefined) return given;
  const first = await readPassphrase(cli, file);
  const again = await askSecret(cli.io, 'Repeat the passphrase: ', cli.signal);
  if (first !== '' && first === again) return first;
  throw new AuthError(first === '' ? 'the passphrase is empty' : 'the passphrases differ', {
    code: 'no_passphrase',
    hint: 'run the command again',
  });
}
