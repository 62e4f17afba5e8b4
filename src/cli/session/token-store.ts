/** Token store: one private file for each server and user. */

import * as fs from 'node:fs';
import { sep } from 'node:path';
import type { StoredToken, TokenStore } from '../../client/session.ts';
import { dialects } from '../../model/dialect.ts';
import { isRecord } from '../../records.ts';
import { systemReason } from '../../system-errors.ts';
import { getObject } from '../text/objects.ts';
import type { CommandContext } from './command-context.ts';
import { makePrivateDirectory, readPrivate, withLock, writePrivate } from './private-file.ts';
import { formatAccountFile } from './xdg-paths.ts';

/**
 * Creates the store for one user of one server. It reads and writes on use only. Without a writable
 * directory, as in a container without a home, each command signs in. A dry run writes nothing.
 */
export function createTokenStore(
  cli: Pick<CommandContext, 'paths' | 'warn' | 'isDryRun'>,
  url: string,
  username: string,
): TokenStore {
  const directory = `${cli.paths.stateDirectory}${sep}tokens`;
  const file = `${directory}${sep}${formatAccountFile(url, username)}`;
  return {
    load: () => {
      const text = readPrivate(file, 'secret');
      if (text === undefined) return undefined;
      const stored = parseEntry(text);
      return stored && stored.url === url && stored.username === username ? stored : undefined;
    },
    save: ({ site, token, expires }) => {
      if (cli.isDryRun) return;
      try {
        writePrivate(file, `${JSON.stringify({ url, username, site, token, expires }, null, 2)}\n`);
      } catch (error) {
        const reason = systemReason(error);
        cli.warn(`cannot store the token; each command signs in again: ${reason}`);
      }
    },
    // After the lock timeout, `work` runs without the lock: a slow password prompt must not block
    // others.
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

/** Parses a token file. An invalid file counts as absent: the session signs in again. */
function parseEntry(text: string): Entry | undefined {
  try {
    const entry: unknown = JSON.parse(text);
    return isEntry(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}

/** Checks the members that a request needs. Other members are written together with them. */
function isEntry(value: unknown): value is Entry {
  const site = getObject(value, 'site');
  return (
    isRecord(value) &&
    typeof value['token'] === 'string' &&
    typeof site?.['origin'] === 'string' &&
    Object.hasOwn(dialects, String(site['dialect']))
  );
}
