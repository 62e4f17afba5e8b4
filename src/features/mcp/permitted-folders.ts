/** Restriction of agents to files in the folders of `--files`. */
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, extname, isAbsolute, join, parse, sep } from 'node:path';
import type { Command, Options } from '../../cli/args/command.ts';
import { listLocalPaths } from '../../cli/args/local-paths.ts';
import { UsageError } from '../../client/errors.ts';

const separator = sep === '/' ? sep : /[/\\]/;

/** Maximum number of symbolic links in a path, as in Linux. */
const maxLinks = 40;

export class PermittedFolders {
  readonly #folders: readonly string[];

  /** Throws `UsageError` if a folder does not exist. */
  constructor(folders: readonly string[]) {
    this.#folders = folders.map((folder) => {
      if (!isFolder(folder)) {
        throw new UsageError(`--files ${folder}: not a folder`, {
          hint: 'use an existing folder',
        });
      }
      return realpathSync(folder);
    });
  }

  /** Description of the restriction for the instructions of agents. */
  get description(): string {
    return this.#folders.length === 0
      ? 'no access to files of this computer'
      : `access to files is limited to ${this.#folders.join(', ')}`;
  }

  /**
   * Refuses a command with a local path outside of the folders, after symbolic links are resolved.
   */
  check(command: Command, positionals: readonly unknown[], options: Options): void {
    for (const path of listLocalPaths(command, positionals, options)) this.#requireInside(path);
  }

  #requireInside(path: string): void {
    const real = resolvePath(path);
    if (real === undefined || !this.#isInside(real)) throw this.#refusal(path);
    // Commands read backups and OVF images by names found in the folder, so its links are checked
    // as well.
    const folder = isFolder(real) ? real : extname(real) === '.ovf' ? dirname(real) : undefined;
    const leak = folder === undefined ? undefined : this.#findLeakingLink(folder);
    if (leak !== undefined) throw this.#refusal(leak);
  }

  #isInside(real: string): boolean {
    return this.#folders.some(
      (folder) => real === folder || real.startsWith(folder.endsWith(sep) ? folder : folder + sep),
    );
  }

  #findLeakingLink(folder: string): string | undefined {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) {
        const real = resolvePath(path);
        if (real === undefined || !this.#isInside(real)) return path;
      } else if (entry.isDirectory()) {
        const inner = this.#findLeakingLink(path);
        if (inner !== undefined) return inner;
      }
    }
    return undefined;
  }

  #refusal(path: string): UsageError {
    return new UsageError(`cannot use "${path}": ${this.description}`, {
      code: 'outside_files',
      hint: 'start the tool server with vmctl mcp --files DIR',
    });
  }
}

/**
 * Absolute path without symbolic links; its last parts need not exist. Resolves part by part, as
 * the operating system does: `link/..` is the parent of the link target. Undefined if the path
 * cannot be resolved.
 */
function resolvePath(path: string): string | undefined {
  let links = 0;
  const walk = (base: string, text: string): string => {
    let real = isAbsolute(text) ? parse(text).root : base;
    for (const part of text
      .slice(isAbsolute(text) ? parse(text).root.length : 0)
      .split(separator)) {
      if (part === '' || part === '.') continue;
      if (part === '..') {
        real = dirname(real);
        continue;
      }
      const next = join(real, part);
      if (!lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink()) real = next;
      else if (++links > maxLinks) throw new Error('too many symbolic links');
      else real = walk(real, readlinkSync(next));
    }
    return real;
  };
  try {
    return walk(realpathSync('.'), path);
  } catch {
    return undefined;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
