/** Diagnosis of connection problems, step by step. */
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly detail: string;
}

async function findings(env: NodeJS.ProcessEnv) {
  const { code, stdout } = await desk.home().runHere(['doctor', '-o', 'json'], env);
  return { code, found: JSON.parse(stdout) as readonly Finding[], stdout };
}

describe('vmctl doctor', () => {
  it('finds no problem in a working setup, and prints no secrets', async () => {
    const { code, found, stdout } = await findings({});
    expect(code).toBe(0);
    const checks = ['files', 'proxy', 'name', 'port', 'certificate', 'clock', 'sign-in'];
    expect(found.map(({ check }) => check)).toEqual([...checks, 'product', 'delay', 'keyring']);
    const bad = found.filter(({ status, check }) => status !== 'ok' && check !== 'keyring');
    expect(bad).toEqual([]);
    expect(stdout).not.toContain(desk.server().password);
  });

  it.each([
    [{ VMCTL_URL: '' }, 'server', 'no service given'],
    [{ VMCTL_URL: 'https://nowhere.invalid' }, 'name', 'nowhere.invalid has no address'],
    [{ VMCTL_URL: 'https://127.0.0.1:9' }, 'port', 'ECONNREFUSED'],
    [{ VMCTL_CA_FILE: '' }, 'sign-in', 'certificate'],
    [{ VMCTL_USERNAME: 'nobody@internal' }, 'sign-in', 'nobody@internal'],
  ])('%j fails at %s', async (env, check, words) => {
    const { code, found } = await findings(env);
    expect(code).toBe(1);
    const bad = found.find(({ status }) => status === 'failed');
    expect(bad).toMatchObject({ check, detail: expect.stringContaining(words) });
  });
});
