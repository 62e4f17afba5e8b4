/** Password sources: file, environment, command, store or the terminal. */

import * as fs from 'node:fs';
import { AuthError, UsageError } from '../../client/errors.ts';
import type { CredentialSource } from '../../client/session.ts';
import { systemReason } from '../../system-errors.ts';
import type { CommandContext } from './command-context.ts';
import { formatCommandLine } from './command-line.ts';
import type { Context, CredentialKind } from './config-file.ts';
import type { Io } from './io.ts';
import { createSecretStore, type StoreName } from './password-store.ts';
import { askSecret, canPrompt } from './prompt.ts';
import type { ServerTarget } from './server-target.ts';
import { settings } from './settings.ts';

/** Password in the first line of a file. Prints a warning if other users can read the file. */
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

/** Password in the first line of the output of a command, such as a password manager. */
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
        child.once('error', (error) => reject(commandError(command, error.message)));
        child.once('close', (code) => {
          if (code === 0) resolve(output.split(/\r?\n/, 1)[0] ?? '');
          else reject(commandError(command, `exit code ${code}`));
        });
      });
    },
  };
}

function commandError(command: string, why: string): AuthError {
  return new AuthError(`no password from ${command}: ${why}`, {
    hint: 'run the command to see its error',
  });
}

const secretVariables: ReadonlySet<string | undefined> = new Set(
  Object.values(settings).flatMap(({ secret, env }) => (secret ? env : [])),
);

/** Environment for child processes, without password, token and client secret of `vmctl`. */
export function withoutSecrets(env: Io['env']): Record<string, string> {
  const rest: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !secretVariables.has(name)) rest[name] = value;
  }
  return rest;
}

/** Password with a fixed value. */
export function fixedPassword(password: string, description: string): CredentialSource {
  return { description, password: () => Promise.resolve(password) };
}

/** Sources of the password without a terminal. */
export const passwordSettings = '--password-file, VMCTL_PASSWORD_FILE or VMCTL_PASSWORD';

/** Password typed at the terminal. Throws `AuthError` with a hint if no terminal is available. */
export function fromPrompt(
  cli: CommandContext,
  username: string,
  host: string,
  hint = `run ${formatCommandLine(cli, ['login'])}, or use ${passwordSettings}`,
): CredentialSource {
  return {
    description: 'the terminal',
    password: async () => {
      if (canPrompt(cli.io, cli.isOn('noInput'))) {
        return await askSecret(cli.io, `Password of ${username} at ${host}: `, cli.signal);
      }
      throw new AuthError(`not signed in to ${host}, and no terminal to ask for a password`, {
        hint,
      });
    },
  };
}

/** Selects the password source of the settings: flag, environment, context, then terminal. */
export function selectCredentials(
  cli: CommandContext,
  target: ServerTarget,
  username: string,
): CredentialSource {
  const file = cli.setting('passwordFile');
  if (file?.origin === 'flag') return fromFile(file.value, cli.io);
  const password = cli.setting('password');
  if (password) return fixedPassword(password.value, 'VMCTL_PASSWORD');
  if (file) return fromFile(file.value, cli.io);
  const { host } = new URL(target.address.origin);
  const prompt = fromPrompt(cli, username, host);
  const { context } = target;
  // The context has the password of its own user only.
  return context && context.username === username ? fromContext(cli, context, prompt) : prompt;
}

/** Selects the password source of a context. */
export function fromContext(
  cli: CommandContext,
  { credentials, url, username }: Pick<Context, 'credentials' | 'url' | 'username'>,
  prompt: CredentialSource,
): CredentialSource {
  const { source } = credentials;
  if (source === 'file') return fromFile(credentials.path, cli.io);
  if (source === 'command') return fromCommand(credentials.command, cli.io);
  if (source === 'web') return fromBrowser(cli, url, username);
  const name = getStoreName(credentials);
  return name ? fromStore(cli, name, url, username, prompt) : prompt;
}

/** Source of a context without a password: the service does not renew tokens of the browser. */
function fromBrowser(cli: CommandContext, url: string, username: string): CredentialSource {
  return {
    description: 'the browser',
    password: () => {
      const message = `the sign-in of ${username} with the browser at ${url} has ended`;
      const hint = `sign in again: ${formatCommandLine(cli, ['login', '--web'])}`;
      return Promise.reject(new AuthError(message, { hint }));
    },
  };
}

/** Store of the password; undefined for other sources. */
export function getStoreName({ source }: CredentialKind): StoreName | undefined {
  return source === 'keyring' ? 'keyring' : source === 'encrypted' ? 'file' : undefined;
}

/** Password in a store. If the store has none, prints a warning and prompts. */
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
      const store = await createSecretStore(cli, name, url, username);
      const password = await store.load();
      if (password !== undefined) return password;
      cli.warn(`${store.description} has no password of ${username} at ${url}, or is locked`);
      return await prompt.password();
    },
  };
}
