/** Computer of a measurement, and its load by other processes. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Environment of a run. */
export interface Origin {
  /** ISO 8601, UTC. */
  readonly date: string;
  /** Short hash of the commit, with `+` for later changes. Null outside of a repository. */
  readonly commit: string | null;
  readonly node: string;
  readonly cores: number;
}

/** CPU time of the computer, and of this process with awaited children, in system ticks. */
export interface Load {
  readonly all: number;
  readonly busy: number;
  readonly own: number;
}

/** Environment of this run. */
export function readOrigin(root: string): Origin {
  return {
    ...{ date: new Date().toISOString(), commit: readCommit(root) },
    ...{ node: process.version, cores: cpus().length },
  };
}

function readCommit(root: string): string | null {
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

/** Current load. `undefined` if the system has no `/proc`. */
export function loadNow(): Load | undefined {
  try {
    return parseLoad(readFileSync('/proc/stat', 'utf8'), readFileSync('/proc/self/stat', 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Load in the texts of `/proc/stat` and of the `stat` of a process. Time of other virtual machines
 * on the same host (steal) counts as busy.
 */
export function parseLoad(machine: string, own: string): Load {
  const [line = ''] = machine.split('\n', 1);
  const times = line.trim().split(/\s+/).slice(1, 9).map(Number);
  const all = times.reduce((sum, one) => sum + one, 0);
  // The fourth and fifth field are idle time: without work, and waiting for a disk.
  const busy = all - (times[3] ?? 0) - (times[4] ?? 0);
  // Fields after the name, which can contain any text: user, system, and the same of ended
  // children.
  const fields = own.slice(own.lastIndexOf(')') + 2).split(' ');
  return { all, busy, own: fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0) };
}

/** Share of other processes between two times, from 0 to 1. Null without load data. */
export function shareOfOthers(before: Load | undefined, after: Load | undefined): number | null {
  if (!before || !after || after.all <= before.all) return null;
  const others = after.busy - before.busy - (after.own - before.own);
  return Math.min(1, Math.max(0, others / (after.all - before.all)));
}
