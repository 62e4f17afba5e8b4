/** Administrator password: from the options, from the data folder, or generated. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerOptions } from '../core/options.ts';
import { restrictFile } from '../files/access.ts';
import { writeDurably } from '../files/durable-file.ts';

export interface Password {
  readonly password: string;
  readonly file: string | undefined;
  readonly isNew: boolean;
  /** Whether the site has an unknown password, which remains. */
  readonly isKept: boolean;
}

/** The password from the options, the one in the data folder, or a new one that is stored there. */
export function choosePassword(
  options: Pick<ServerOptions, 'password' | 'data'>,
  folder: string,
  hasPasswordAlready: boolean,
): Password {
  const file = join(folder, 'admin-password');
  if (options.password !== undefined) {
    if (options.data === undefined) writeFileSync(file, `${options.password}\n`, { mode: 0o600 });
    return {
      password: options.password,
      file: options.data === undefined ? file : undefined,
      isNew: false,
      isKept: false,
    };
  }
  restrictFile(file);
  try {
    const found = readFileSync(file, 'utf8').trimEnd();
    return { password: found, file, isNew: false, isKept: hasPasswordAlready };
  } catch {
    if (hasPasswordAlready) return { password: '', file: undefined, isNew: false, isKept: true };
    const password = randomBytes(12).toString('base64url');
    writeDurably(file, `${password}\n`, 0o600);
    return { password, file, isNew: true, isKept: false };
  }
}
