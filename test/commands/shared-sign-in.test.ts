/** Commands that run at the same time share one sign-in. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

/** Number of sign-ins: each writes an event. */
async function signIns(): Promise<number> {
  const events = await desk.json('events', 'list', '--search', 'type=30');
  return events.length;
}

/** Runs six commands concurrently, each in a separate process. */
async function sixAtOnce(): Promise<readonly (number | null)[]> {
  const one = () => desk.home().run(['vms', 'list', '-o', 'id']);
  const outcomes = await Promise.all(Array.from({ length: 6 }, one));
  expect(outcomes.map(({ stderr }) => stderr)).toEqual(Array(6).fill(''));
  return outcomes.map(({ code }) => code);
}

describe('six concurrent commands', () => {
  it('sign in once without a token', async () => {
    expect(await sixAtOnce()).toEqual(Array(6).fill(0));
    expect(await signIns()).toBe(1);
  });

  it('sign in once more with an expired token', async () => {
    const folder = join(desk.home().folder, 'state/vmctl/tokens');
    const [name] = readdirSync(folder).filter((one) => !one.endsWith('.lock'));
    const file = join(folder, name ?? '');
    const stored: unknown = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify(Object.assign(Object(stored), { token: 'run-out' })));
    expect(await sixAtOnce()).toEqual(Array(6).fill(0));
    expect(await signIns()).toBe(2);
  });

  it('leave no lock behind', () => {
    const folder = join(desk.home().folder, 'state/vmctl/tokens');
    expect(readdirSync(folder).filter((one) => one.endsWith('.lock'))).toEqual([]);
  });
});

describe('a home that is not writable', () => {
  it('costs a sign-in for each command, and a warning', async () => {
    const before = await signIns();
    // Even root cannot create a folder below a device.
    const env = { XDG_STATE_HOME: '/dev/null/state' };
    for (let count = 1; count <= 2; count += 1) {
      const { code, stdout, stderr } = await desk.home().runHere(['vms', 'list', '-o', 'id'], env);
      expect([code, stdout.split('\n').length]).toEqual([0, 4]);
      expect(stderr).toContain('warning: cannot store the token; each command signs in again: ');
    }
    expect(await signIns()).toBe(before + 2);
  });
});
