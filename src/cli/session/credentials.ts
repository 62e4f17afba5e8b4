/** Sources of passwords: file, environment, command, store, or the person at the terminal. */

import * as fs from 'node:fs';
import { AuthError, UsageError } from '../../client/errors.ts';
import type { CredentialSource } from '../../client/session.ts';
import { systemReason } from '../../system-errors.ts';
import type { CommandContext } from './command-context.ts';
import type { Context, CredentialKind } from './config-file.ts';
import type { Io } from './io.ts';
import { type StoreName, secretStore } from './password-store.ts';
import { askSecret, canAsk } from './prompt.ts';
import type { Target } from './target.ts';

/** The first line of a file; says so when others may read it. */
export function fromFile(path: string, io: Io): CredentialSource {
  return {
    description: `the file ${path}`,
    password: () => {
      let text: string;
      try {
        text = fs.readFileSync(path, 'utf8');
      } catch (error) {
        throw new UsageError(`cannot read password file "${path}": ${systemReason(error)}`, {
          hint: 'check --password-file and VMCTL_PASSWORD_FILE',
          cause: error,
        });
      }
      const { mode, uid } = fs.statSync(path);
      if (uid === process.getuid?.() && (mode & 0o077) !== 0) {
        io.stderr.write(`warning: other users can read ${path}; run chmod 600 ${path}\n`);
      }
      return Promise.resolve(text.split(/\r?\n/, 1)[0] ?? '');
    },
  };
}

/** What a program of the user's choice prints: a password manager. */
export function fromCommand(command: string, io: Io): CredentialSource {
  return {
    description: `the command ${command}`,
    password: async () => {
      const { spawn } = process.getBuiltinModule('node:child_process');
      return await new Promise((resolve, reject) => {
        const child = spawn(command, {
          shell: true,
          stdio: ['inherit', 'pipe', 'inherit'],
          env: withoutSecrets(io.env),
        });
        let output = '';
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          output += text;
        });
        child.once('error', (error) => reject(failed(command, error.message)));
        child.once('close', (code) => {
          if (code === 0) resolve(output.split(/\r?\n/, 1)[0] ?? '');
          else reject(failed(command, `exit code ${code}`));
        });
      });
    },
  };
}

function failed(command: string, why: string): AuthError {
  return new AuthError(`no password from ${command}: ${why}`, {
    hint: 'run the command to see its error',
  });
}

/** Programs that we start have no business with our secrets. */
export function withoutSecrets(env: Io['env']): Record<string, string> {
  const rest: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && name !== 'VMCTL_PASSWORD' && name !== 'VMCTL_TOKEN') {
      rest[name] = value;
    }
  }
  return rest;
}

/** A password that is known already. */
export function known(password: string, description: string): CredentialSource {
  return { description, password: () => Promise.resolve(password) };
}

/** The person at the terminal; where there is none, an error that says what to do. */
export function fromPrompt(
  username: string,
  host: string,
  io: Io,
  noInput: boolean,
  signal: AbortSignal,
): CredentialSource {
  return {
    description: 'the terminal',
    password: async () => {
      if (canAsk(io, noInput)) {
        return await askSecret(io, `Password of ${username} at ${host}: `, signal);
      }
      throw new AuthError(`not signed in to ${host}, and no terminal to ask for a password`, {
        hint: 'run vmctl login, or use --password-file, VMCTL_PASSWORD_FILE or VMCTL_PASSWORD',
      });
    },
  };
}

/** The source that the settings name, best first: flag, environment, context, terminal. */
export function credentialsFor(
  cli: CommandContext,
  target: Target,
  username: string,
): CredentialSource {
  const file = cli.setting('passwordFile');
  if (file?.origin === 'flag') return fromFile(file.value, cli.io);
  const password = cli.setting('password');
  if (password) return known(password.value, 'VMCTL_PASSWORD');
  if (file) return fromFile(file.value, cli.io);
  const { host } = new URL(target.address.origin);
  const prompt = fromPrompt(
    username,
    host,
    cli.io,
    cli.setting('noInput') !== undefined,
    cli.signal,
  );
  const { context } = target;
  // Another user than the remembered one has another password.
  return context && context.username === username ? fromContext(cli, context, prompt) : prompt;
}

/** The source that a context remembers. */
export function fromContext(
  cli: CommandContext,
  { credentials, url, username }: Pick<Context, 'credentials' | 'url' | 'username'>,
  prompt: CredentialSource,
): CredentialSource {
  const { source } = credentials;
  if (source === 'file') return fromFile(credentials.path, cli.io);
  if (source === 'command') return fromCommand(credentials.command, cli.io);
  const name = storeOf(credentials);
  return name ? fromStore(cli, name, url, username, prompt) : prompt;
}

/** The store that keeps a password, if one does. */
export function storeOf({ source }: CredentialKind): StoreName | undefined {
  return source === 'keyring' ? 'keyring' : source === 'encrypted' ? 'file' : undefined;
}

/** What a store keeps; where it has nothing, somebody is asked, and told why. */
function fromStore(
  cli: CommandContext,
  name: StoreName,
  url: string,
  username: string,
  prompt: CredentialSource,
): CredentialSource {
  return {
    description: name === 'keyring' ? 'the keyring' : 'an encrypted file',
    password: async () => {
      const store = await secretStore(cli, name, url, username);
      const password = await store.load();
      if (password !== undefined) return password;
      cli.warn(`${store.description} has no password of ${username} at ${url}, or is locked`);
      return await prompt.password();
    },
  };
}
