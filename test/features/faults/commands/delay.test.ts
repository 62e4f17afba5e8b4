/** `vmctl serve --delay`: delays every response of the API, with an ordinary fault rule. */
import { expect, it } from 'vitest';
import { useSignedInCommand } from '../../../commands/support/signed-in-command.ts';
import { builtVmctl } from '../../../support/in-process.ts';

const desk = useSignedInCommand(['--delay', '30ms±10'], true);

it('is a rule that can be listed and removed', async () => {
  const rules = () => desk.must('api', 'GET', '/_vmctl/faults');
  expect(JSON.parse(await rules())).toEqual({
    faults: [{ id: 'fault-1', rate: 1, delay: 30, spread: 10 }],
  });
});

it.each(['null', '[]', '5', '"start"'])(
  'refuses a rule that is not an object: %s',
  async (text) => {
    const { code, stderr } = await desk.run(
      ['api', 'POST', '/_vmctl/faults', '--input', '-'],
      text,
    );
    expect(code).toBe(6);
    expect(stderr).toContain('rule:1:1: expected one object');
  },
);

it('delays all responses of the API', async () => {
  const { code, stdout } = await desk.run(['doctor', '-o', 'json']);
  expect(code).toBe(0);
  const delay = /"(\d+) ms per request/.exec(stdout)?.[1];
  // A longer delay is not an error.
  expect(Number(delay)).toBeGreaterThanOrEqual(19);
});

it.each([
  ['soon', 'not a duration'],
  ['200ms±', 'not a duration'],
  ['±50', 'not a duration'],
  ['200ms±50±1', 'not a duration'],
  ['-5ms', 'not a duration'],
  ['0s', 'zero delay'],
  ['5m', 'more than one minute'],
  ['50ms±60', 'the spread is larger than the delay'],
  ['1s+-2', 'the spread is larger than the delay'],
])('refuses --delay "%s"', async (text, why) => {
  const { code, stderr } = await builtVmctl(['serve', '--memory', `--delay=${text}`]);
  expect(code).toBe(2);
  expect(stderr).toContain(why);
  expect(stderr).toMatch(/^hint: use 200ms/m);
});

it.each([
  ['200ms+-50', { delay: 200, spread: 50 }],
  ['1s±200ms', { delay: 1000, spread: 200 }],
  ['1s', { delay: 1000 }],
  ['1.5s +/- 0.5s', { delay: 1500, spread: 500 }],
])('understands %s', async (text, rule) => {
  const { parseDelay: latencyRule } = await import('../../../../src/features/faults/delay.ts');
  expect(latencyRule(text)).toEqual(rule);
});
