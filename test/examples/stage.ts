/** Runs one example in a shell, with its scene: what is so before, and a look at what came of it. */
import { expect } from 'vitest';
import type { Scene, Told } from './scenes.ts';
import type { Environment, Outcome, Shell } from './shell.ts';
import { asRun, runsServer } from './ways.ts';

/** Fails unless the example succeeds and does what it says. */
export async function play(shell: Shell, line: string, scene: Scene): Promise<void> {
  const { before, env = {}, folder, input, meanwhile, rest, after } = scene;
  if (before) await shell.must(before, env);
  const told = (outcome: Outcome, used: Environment = env): Told => ({
    ...outcome,
    shell,
    env: used,
    look: (script) => shell.must(script, used),
  });
  // The address of a ticket is secret, and new each time.
  const place = folder === undefined ? '' : `cd '${folder}'\n`;
  const script = `${place}${asRun(line)}`.replace(
    /https:\/\/host:\d+\/images\/TICKET/,
    '"$(cat url.txt)"',
  );
  if (runsServer(line) && rest === undefined) {
    const { code, stderr } = await shell.serve(script, async (used) => {
      await after(told({ code: 0, stdout: '', stderr: '' }, used));
    });
    expect(code, stderr).toBe(0);
    return;
  }
  if (meanwhile !== undefined) {
    const outcome = await shell.interrupt(script, () => shell.must(meanwhile, env), env);
    expect(outcome.code, outcome.stderr).toBe(130);
    await after(told(outcome));
    return;
  }
  const outcome = await shell.run(rest === undefined ? script : `${script}\n${rest}`, env, input);
  expect(outcome.code, outcome.stderr).toBe(0);
  await after(told(outcome));
}
