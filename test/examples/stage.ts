/** Runs one example in a shell with its scene: preparation and check. */
import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { terminalScript } from '../support/terminal.ts';
import { asRun, runsServer } from './execution.ts';
import type { Scene, Told } from './scene.ts';
import type { Environment, Outcome, Shell } from './shell.ts';

const isThere = (program: string) => spawnSync(program, ['--version']).error === undefined;

/** Fails unless the example succeeds and does what it says. */
export async function play(shell: Shell, line: string, scene: Scene): Promise<void> {
  const { serving, needs, env = {}, before } = scene;
  if (needs !== undefined && !isThere(needs)) return;
  if (serving !== undefined) {
    const { code, stderr } = await shell.serve(asRun(serving), (used) =>
      play(shell, line, withoutServer(scene, { ...env, ...used })),
    );
    expect(code, stderr).toBe(0);
    return;
  }
  if (before) await shell.must(before, env);
  const { folder } = scene;
  const place = folder === undefined ? '' : `cd '${folder}'\n`;
  // The address of a ticket is secret, and new each time.
  const script = `${place}${asRun(line)}`
    .replace(/https:\/\/host:\d+\/images\/TICKET/, '"$(cat url.txt)"')
    .replaceAll('$HOME/', `${shell.folder}/`);
  await (runsServer(line) && scene.rest === undefined ? asServer : toItsEnd)(shell, script, scene);
}

function withoutServer({ serving: _, ...scene }: Scene, env: Environment): Scene {
  return { ...scene, env };
}

const told = (shell: Shell, outcome: Outcome, env: Environment): Told => ({
  ...outcome,
  shell,
  env,
  look: (script) => shell.must(script, env),
});

async function asServer(shell: Shell, script: string, { after }: Scene): Promise<void> {
  const { code, stderr } = await shell.serve(script, async (env) => {
    await after(told(shell, { code: 0, stdout: '', stderr: '' }, env));
  });
  expect(code, stderr).toBe(0);
}

async function toItsEnd(shell: Shell, script: string, scene: Scene): Promise<void> {
  const { env = {}, input, meanwhile, behind, rest, typed, after } = scene;
  const more = rest ?? behind;
  const shown = typed === undefined ? script : terminalScript(script, typed);
  const whole = more === undefined ? shown : `${script}${behind ? ' &' : ''}\n${more}`;
  const outcome =
    meanwhile === undefined
      ? await shell.run(whole, env, input)
      : await shell.interrupt(script, () => shell.must(meanwhile, env), env);
  expect(outcome.code, outcome.stderr).toBe(meanwhile === undefined ? 0 : 130);
  await after(told(shell, outcome, env));
}
