/** The machine that is measured on, and how much of it others took meanwhile. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** What a run was made with, beside its figures. */
export interface Origin {
  /** ISO 8601, UTC. */
  readonly date: string;
  /** Short name of the commit, with `+` where files were changed since; null outside of a repository. */
  readonly commit: string | null;
  readonly node: string;
  readonly cores: number;
}

/** CPU time of the machine and of this process with all that it waited for, in ticks of the system. */
export interface Load {
  readonly all: number;
  readonly busy: number;
  readonly own: number;
}

/** Where and when this runs. */
export function originOf(root: string): Origin {
  return {
    ...{ date: new Date().toISOString(), commit: commitOf(root) },
    ...{ node: process.version, cores: cpus().length },
  };
}

function commitOf(root: string): string | null {
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', root, ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    const changed = git(
      'status',
      '--porcelain',
      '--untracked-files=no',
      '--',
      ':!bench/history.jsonl',
    );
    return `${git('rev-parse', '--short', 'HEAD')}${changed === '' ? '' : '+'}`;
  } catch {
    return null;
  }
}

/** The load until now; undefined where the system has no `/proc`. */
export function loadNow(): Load | undefined {
  try {
    return loadOf(readFileSync('/proc/stat', 'utf8'), readFileSync('/proc/self/stat', 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * The load in the texts of `/proc/stat` and of the `stat` of a process. What other machines on the same
 * host took (steal) is busy, too.
 */
export function loadOf(machine: string, own: string): Load {
  const [line = ''] = machine.split('\n', 1);
  const times = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const all = times.reduce((sum, one) => sum + one, 0);
  // The fourth and the fifth are idle time: with nothing to do, and while a disk was waited for.
  const busy = all - (times[3] ?? 0) - (times[4] ?? 0);
  // Behind the name, which may hold anything: user, system, and the same of children that have ended.
  const fields = own.slice(own.lastIndexOf(')') + 2).split(' ');
  return { all, busy, own: fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0) };
}

/** The part of the machine that others took between two moments, from 0 to 1; null where nobody tells. */
export function shareOfOthers(before: Load | undefined, after: Load | undefined): number | null {
  if (!before || !after || after.all <= before.all) return null;
  const others = after.busy - before.busy - (after.own - before.own);
  return Math.min(1, Math.max(0, others / (after.all - before.all)));
}
