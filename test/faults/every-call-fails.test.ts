/**
 * Failure of every n-th disk call, one at a time, in each step of changes to objects and images.
 * Each failure is a clear fault, and no acknowledged change is lost.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isFullRun, recordResult } from './support/catalogue.ts';
import { cannotInject, countMostCalls, Injection } from './support/inject.ts';
import { FolderSite } from './support/site.ts';
import { Changes, type Step } from './support/steps.ts';

const cannot = cannotInject();

let site: FolderSite;
let changes: Changes;
/** Faults since the last crash. */
let recent: string[] = [];
/** Maximum number of faults before a crash. */
const betweenCrashes = 64;

/** Kills the server and checks the remaining data. */
async function crash(): Promise<void> {
  await site.kill();
  await site.start();
  expect(await changes.lost(), recent.join('\n')).toEqual([]);
  recent = [];
}

/** Injects one failure into a step. Returns the number of failed calls. */
async function strike(step: Step, call: string, effect: string, when: number, mainOnly: boolean) {
  recent.push(`${call} ${effect} ${when} in ${step.name}`);
  const act = await step.prepare();
  const fault = { call, effect, when: String(when), mainOnly };
  const injection = await Injection.into(site.server.ready.pid, fault);
  let struck: number;
  try {
    await act();
  } finally {
    struck = await injection.end();
  }
  expect(site.server.process.exitCode).toBeNull();
  if (!(await changes.bookmark()) || recent.length >= betweenCrashes) await crash();
  return struck;
}

/**
 * Calls of a step without failures: the maximum of any thread, and of any thread except the main
 * one.
 */
async function watched(step: Step, call: string): Promise<{ most: number; besides: number }> {
  const act = await step.prepare();
  const { pid } = site.server.ready;
  const injection = await Injection.into(pid, { call });
  await act();
  const calls = injection.calls();
  await injection.end();
  return { most: countMostCalls(calls), besides: countMostCalls(calls, pid) };
}

/**
 * Fails every call of a step in turn, until a run meets no fault. In the short catalogue, fails one
 * call in the middle. Returns the number of failures.
 */
async function exhaust(step: Step, call: string, effect: string): Promise<number> {
  const { most, besides } = await watched(step, call);
  if (!isFullRun) return most === 0 ? 0 : strike(step, call, effect, Math.ceil(most / 2), false);
  for (let when = 1; ; when++) {
    // Other threads than the main one make few calls; a step may vary in length.
    const mainOnly = when > besides + 3;
    const struck = await strike(step, call, effect, when, mainOnly);
    if (struck === 0) return when - 1;
  }
}

interface Kind {
  readonly call: string;
  readonly effect: string;
  readonly words: string;
  /** Number of the call that CI fails, in every third step from this one on. */
  readonly short?: number;
}

/** System calls with their failures. */
const kinds: readonly Kind[] = [
  { call: 'pwrite64', effect: 'error=ENOSPC', words: 'fails with ENOSPC', short: 0 },
  // A call may write fewer bytes than requested; zero is the extreme.
  { call: 'pwrite64', effect: 'retval=0', words: 'writes nothing', short: 1 },
  { call: 'pwrite64', effect: 'error=EIO', words: 'fails with EIO' },
  { call: 'fsync,fdatasync', effect: 'error=EIO', words: 'fails with EIO', short: 2 },
  { call: 'ftruncate', effect: 'error=ENOSPC', words: 'fails with ENOSPC' },
  { call: 'openat', effect: 'error=EIO', words: 'fails with EIO' },
  { call: 'openat', effect: 'error=EMFILE', words: 'fails with EMFILE' },
  { call: 'rename', effect: 'error=ENOSPC', words: 'fails with ENOSPC' },
  { call: 'unlink', effect: 'error=EIO', words: 'fails with EIO' },
];

describe.skipIf(cannot)(`A5 every n-th call fails${cannot ? ` (${cannot})` : ''}`, () => {
  beforeEach(async () => {
    // strace counts calls per thread; with one pool thread exactly one call fails.
    vi.stubEnv('UV_THREADPOOL_SIZE', '1');
    site = new FolderSite();
    changes = new Changes(site);
    recent = [];
    await site.start();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await site.remove();
  });

  const tried = kinds.filter(({ short }) => isFullRun || short !== undefined);
  it.each(tried.map((kind) => [`${kind.call} ${kind.words}`, kind] as const))(
    'A5 each %s in turn',
    async (title, { call, effect, short }) => {
      const { steps } = changes;
      const resolved = isFullRun ? steps : steps.filter((_, index) => index % 3 === short);
      let calls = 0;
      for (const step of resolved) calls += await exhaust(step, call, effect);
      expect(calls).toBeGreaterThan(0);
      await crash();
      recordResult(
        'A5',
        `${title}: all ${calls} calls of ${resolved.length} steps, one failure per run; ${changes.faults} faults, 0 of ${changes.count} acknowledged changes lost`,
      );
    },
    3_600_000,
  );

  it('A5 a failed sync of the store is not retried: nothing is acknowledged after it', async () => {
    const injection = await Injection.into(site.server.ready.pid, {
      ...{ call: 'fsync,fdatasync', effect: 'error=EIO', when: '1' },
    });
    const add = (name: string) => site.api.json('POST', '/bookmarks', { name, value: 'x' });
    const first = await add('first');
    expect([first.status, first.text]).toEqual([
      503,
      expect.stringContaining('Cannot write the data'),
    ]);
    expect(first.text).toContain('The server refuses changes until it is restarted.');
    for (const name of ['second', 'third']) expect((await add(name)).status).toBe(503);
    expect((await site.api.json('GET', '/vms')).status).toBe(200);
    const syncs = injection.calls().filter(({ text }) => text.includes('vmctl.db'));
    expect(syncs).toHaveLength(1);
    await injection.end();
    await site.kill();
    await site.start();
    expect((await add('fourth')).status).toBe(201);
  });

  it('A5 control: detects a writer that ignores errors', async () => {
    const target = join(site.parent, 'careless');
    writeFileSync(target, '');
    const program = `const fs = require('fs'); const file = fs.openSync(${JSON.stringify(target)}, 'r+');
      process.on('message', (number) => {
        try { fs.writeSync(file, Buffer.from([number]), 0, 1, number); } catch {}
        process.send(number);
      });`;
    const child = spawn(process.execPath, ['-e', program], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const told = (number: number) =>
      new Promise<number>((resolve) => {
        child.once('message', (message) => resolve(Number(message)));
        child.send(number);
      });
    await told(0);
    const injection = await Injection.into(child.pid ?? 0, {
      ...{ call: 'pwrite64', effect: 'error=ENOSPC', when: '3' },
    });
    const said: number[] = [];
    for (let number = 1; number <= 5; number++) said.push(await told(number));
    expect(await injection.end()).toBe(1);
    child.kill();
    const bytes = readFileSync(target);
    expect(said.filter((number) => bytes[number] !== number)).toEqual([3]);
  });
});

describe.skipIf(cannot)('A5 control of the comparison', () => {
  it('A5 control: detects data that was never written', async () => {
    site = new FolderSite();
    changes = new Changes(site);
    try {
      await site.start();
      const disk = await site.disk('half', 64 * 1024);
      const kept = await site.disk('kept', 64 * 1024);
      changes.acknowledged.bookmarks.push('never');
      changes.acknowledged.deleted.push(kept.id);
      changes.acknowledged.disks.push(kept, { ...disk, bytes: Buffer.alloc(64 * 1024) });
      const lost = ['never', `disk ${disk.id}`, `deleted ${kept.id}`, `file of ${kept.id}`];
      expect(await changes.lost()).toEqual(lost);
    } finally {
      await site.remove();
    }
  });
});
