/** Exit codes of all error classes, and error messages. */
import { describe, expect, it } from 'vitest';
import { getExitCode } from '../../../src/cli/output/error-report.ts';
import * as errors from '../../../src/client/errors.ts';
import { vmctl } from '../support/run.ts';

describe('exit codes', () => {
  it.each([
    [new Error('a bug'), 1],
    [new errors.VmctlError('x'), 1],
    [new errors.FaultError('x'), 1],
    [new errors.UsageError('x'), 2],
    [new errors.NotFoundError('x'), 3],
    [new errors.AuthError('x'), 4],
    [new errors.ForbiddenError('x'), 5],
    [new errors.AmbiguousError('x'), 6],
    [new errors.ConflictError('x'), 6],
    [new errors.WaitTimeoutError('x'), 7],
    [new errors.ConnectionError('x'), 8],
    [new errors.TrustError('x'), 8],
    [new errors.PartialError('x'), 9],
    [new errors.AllFailedError('x', new errors.NotFoundError('y')), 3],
    [new errors.ServerError('x'), 10],
    [new errors.DeclinedError('x'), 12],
    [new errors.InterruptedError('SIGINT'), 130],
    [new errors.InterruptedError('SIGTERM'), 143],
  ])('%s is %i', (error, code) => {
    expect(getExitCode(error)).toBe(code);
  });

  it('has a row for every class of error that there is', () => {
    const classes = Object.values(errors).filter((one) => one.prototype instanceof Error);
    expect(classes).toHaveLength(16);
  });
});

describe('F5 values that may be secret', () => {
  it.each([
    ['--password', 'hunter2'],
    ['--password=hunter2', 'vms', 'list'],
    ['--pasword', 'hunter2', 'vms', 'list'],
    ['-p', 'hunter2', 'vms', 'list'],
    ['vms', 'list', '--password', 'hunter2'],
    ['vms', 'list', '--pasword=hunter2'],
    ['vms', 'list', '--passwordhunter2'],
    ['login', 'https://localhost', '--password', 'hunter2'],
    ['login', 'https://localhost', '--token=hunter2'],
    ['--passphrase', 'hunter2'],
  ])('is not repeated: %s %s', async (...words) => {
    for (const more of [[], ['-o', 'json']]) {
      const { code, stdout, stderr } = await vmctl([...words, ...more]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).not.toContain('hunter2');
      if (/--(password|token)/.test(words.join(' '))) {
        expect(stderr).toMatch(/set VMCTL_(PASSWORD|TOKEN) instead/);
      }
    }
  });
});

describe('errors of usage', () => {
  it.each([
    [['vmz'], 'vmctl: unknown noun "vmz"\nhint: did you mean vms? vmctl help nouns lists all\n'],
    [
      ['vms', 'strat'],
      'vmctl: vms: unknown verb "strat"\nhint: did you mean vmctl vms start or vmctl vms stats?\n',
    ],
    [
      ['vms', 'nics'],
      'vmctl: vms: unknown verb "nics"\nhint: children are nouns: vmctl nics list\n',
    ],
    [
      ['vms', 'list', '--serch', 'x'],
      'vmctl: unknown flag --serch\nhint: did you mean --search? see vmctl vms list --help\n',
    ],
    [
      ['vms', 'list', '--colums', 'name'],
      'vmctl: unknown flag --colums\nhint: did you mean --columns? see vmctl vms list --help\n',
    ],
    [
      ['--outptu', 'json', 'vms', 'list'],
      'vmctl: unknown flag --outptu\nhint: did you mean --output? vmctl help flags\n',
    ],
    [
      ['serve', 'faults', '--path', '/vms'],
      'vmctl: --path: not valid with these arguments\nhint: see vmctl serve --help\n',
    ],
    [
      ['vms', 'update', 'x', '--cpus', '2'],
      'vmctl: unknown flag --cpus\nhint: did you mean --cpu-sockets? see vmctl vms update --help\n',
    ],
    [['--foo'], 'vmctl: unknown flag --foo\nhint: vmctl help flags\n'],
    [['vms', 'start'], 'vmctl: vms start: no object given\nhint: vmctl vms start --help\n'],
    [
      ['nics', 'list'],
      'vmctl: nics list needs a parent: --vm, --template, --instancetype or --vm with --snapshot\nhint: vmctl nics list --vm REF\n',
    ],
    [
      ['vms', 'get', ''],
      'vmctl: vm: the value is empty\nhint: quote the value, and check that the variable in it is set\n',
    ],
    [
      ['nics', 'list', '--vm', ''],
      'vmctl: --vm: the value is empty\nhint: quote the value, and check that the variable in it is set\n',
    ],
    [['vms', 'list', '-o', 'jsn'], 'vmctl: -o jsn: unknown format\nhint: did you mean json?\n'],
  ])('%j', async (argv, stderr) => {
    expect(
      await vmctl(argv, { env: { VMCTL_URL: 'https://127.0.0.1:9', VMCTL_TOKEN: 'x' } }),
    ).toEqual({ code: 2, stdout: '', stderr });
  });

  it('names the command whose help tells more, without the values of flags', async () => {
    const { stderr } = await vmctl(['-o', 'json', 'vms', 'list', '--odd']);
    expect(JSON.parse(stderr)).toMatchObject({ hint: 'see vmctl vms list --help' });
    const serve = await vmctl(['serve', '--inventory', 'small', '--odd']);
    expect(serve.stderr).toContain('ee vmctl serve --help');
  });

  it('are one JSON object on stderr with JSON output', async () => {
    const result = await vmctl(['vms', 'strat', '-o', 'json']);
    expect(result.code).toBe(2);
    expect(result.stdout).toBe('');
    expect(JSON.parse(result.stderr)).toEqual({
      code: 'unknown_verb',
      message: 'vms: unknown verb "strat"',
      exit_code: 2,
      hint: 'did you mean vmctl vms start or vmctl vms stats?',
      retryable: false,
    });
  });

  it('name the host if the connection fails', async () => {
    const result = await vmctl(['vms', 'list', '-ojson'], {
      env: { VMCTL_URL: 'https://127.0.0.1:9', VMCTL_TOKEN: 'x' },
    });
    expect(result.code).toBe(8);
    expect(JSON.parse(result.stderr)).toMatchObject({
      code: 'unreachable',
      message: 'cannot connect to 127.0.0.1:9: connection refused',
      retryable: true,
    });
  });
});
