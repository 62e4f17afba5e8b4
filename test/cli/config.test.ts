/** Defaults, and where settings come from. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Result, temporaryHome, vmctl } from './run.ts';

let home: ReturnType<typeof temporaryHome>;
beforeEach(() => {
  home = temporaryHome();
});
afterEach(() => home.remove());

function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Result> {
  return vmctl(argv, { env: { HOME: home.path, ...env } });
}

async function listed(env: Readonly<Record<string, string>> = {}, ...flags: string[]) {
  const { stdout } = await run(['config', 'list', '-o', 'json', ...flags], env);
  const rows = JSON.parse(stdout) as { name: string; value?: string; origin?: string }[];
  return new Map(rows.map(({ name, ...rest }) => [name, rest]));
}

it('a default holds where nothing else says otherwise', async () => {
  expect(await run(['config', 'set', 'retries', '5'])).toMatchObject({
    code: 0,
    stderr: 'retries is 5 by default\n',
  });
  expect((await listed()).get('retries')).toMatchObject({ value: '5', origin: 'defaults' });
  expect((await listed({}, '--retries', '1')).get('retries')).toMatchObject({
    value: '1',
    origin: 'flag',
  });
  await run(['config', 'unset', 'retries']);
  expect((await listed()).get('retries')).not.toHaveProperty('value');
});

it('the variable is named from which a value comes; secrets are not shown', async () => {
  const settings = await listed({ VMCTL_TIMEOUT: '90s', VMCTL_PASSWORD: 'hidden-word' });
  expect(settings.get('timeout')).toMatchObject({ value: '90s', origin: 'VMCTL_TIMEOUT' });
  expect(settings.get('VMCTL_PASSWORD')).toMatchObject({ value: '(not shown)' });
  const { stdout } = await run(['config', 'list'], { VMCTL_PASSWORD: 'hidden-word' });
  expect(stdout).not.toContain('hidden-word');
});

it.each([
  [['config', 'set', 'outptu', 'json'], 'did you mean output?'],
  [['config', 'set', 'output', 'jsn'], 'it is one of: table'],
  [['config', 'set', 'url', 'https://x'], 'there is no default url'],
])('%j is refused', async (argv, message) => {
  expect(await run(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});
