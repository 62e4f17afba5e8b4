/** Tokens that are kept between commands: one file per server and user, for its owner only. */

import * as fs from 'node:fs';
import { sep } from 'node:path';
import type { StoredToken, TokenStore } from '../../client/session.ts';
import { dialects } from '../../model/dialect.ts';
import { systemReason } from '../../system-errors.ts';
import type { CommandContext } from './command-context.ts';
import { makePrivateDirectory, readPrivate, withLock, writePrivate } from './private-file.ts';
import { accountFile } from './xdg-paths.ts';

/**
 * The store for one user of one server; nothing is read or written before it is used. Where nothing can
 * be written, as in a container without a home, commands work all the same: each signs in. A dry run
 * writes nothing.
 */
export function tokenStore(
  cli: Pick<CommandContext, 'paths' | 'warn' | 'isDryRun'>,
  url: string,
  username: string,
): TokenStore {
  const directory = `${cli.paths.stateDirectory}${sep}tokens`;
  const file = `${directory}${sep}${accountFile(url, username)}`;
  return {
    load: () => {
      const text = readPrivate(file, 'secret');
      if (text === undefined) return undefined;
      const stored = parse(text);
      return stored && stored.url === url && stored.username === username ? stored : undefined;
    },
    save: ({ site, token }) => {
      if (cli.isDryRun) return;
      try {
        writePrivate(file, `${JSON.stringify({ url, username, site, token }, null, 2)}\n`);
      } catch (error) {
        const reason = systemReason(error);
        cli.warn(`cannot store the token; each command signs in again: ${reason}`);
      }
    },
    // Whoever is slow, because a person types the password, does not keep the others waiting for long.
    exclusively: (work) =>
      !cli.isDryRun && isWritable(directory) ? withLock(file, work, work) : work(),
    forget: () => fs.rmSync(file, { force: true }),
  };
}

function isWritable(directory: string): boolean {
  try {
    makePrivateDirectory(directory);
    fs.accessSync(directory, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

interface Entry extends StoredToken {
  readonly url: string;
  readonly username: string;
}

/** A file that says something else is no reason to fail: the token is simply fetched again. */
function parse(text: string): Entry | undefined {
  try {
    const entry = JSON.parse(text) as Partial<Entry>;
    const { site, token } = entry;
    if (typeof token !== 'string' || typeof site?.origin !== 'string') return undefined;
    return Object.hasOwn(dialects, site.dialect) ? (entry as Entry) : undefined;
  } catch {
    return undefined;
  }
}
