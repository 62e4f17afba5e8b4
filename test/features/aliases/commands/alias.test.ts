/** `vmctl alias`: short names for commands. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from '../../../commands/support/signed-in-command.ts';

const desk = useSignedInCommand();

describe('an alias', () => {
  it('runs its command with the arguments, and further ones at the end', async () => {
    await desk.must('alias', 'set', 'note', 'vms update $1 --comment "of $2"');
    await desk.must('note', 'vm-02', 'me', '--description', 'text');
    const vm = await desk.json<Record<string, unknown>>('vms', 'get', 'vm-02');
    expect(vm).toMatchObject({ comment: 'of me', description: 'text' });
  });

  it('replaces $@ by all other arguments', async () => {
    await desk.must('alias', 'set', 'show', 'vms get $@ --columns name -o csv');
    expect(await desk.must('show', 'vm-01', 'vm-02')).toBe('name\nvm-01\nvm-02\n');
    expect(await desk.must('--no-headers', 'show', 'vm-01')).toBe('vm-01\n');
  });

  it('prints errors in the format of its command', async () => {
    await desk.must('alias', 'set', 'read', 'vms get $1 -o json');
    const { code, stderr } = await desk.run(['read', 'missing']);
    expect(code).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'not_found' });
  });

  it('needs the arguments of its placeholders', async () => {
    const { code, stderr } = await desk.run(['note', 'vm-02']);
    expect(code).toBe(2);
    expect(stderr).toContain('alias note: argument $2 missing');
    expect(stderr).toContain('hint: vmctl note ARG1 ARG2 runs: vmctl vms update $1');
  });

  it('is in help, with the page of its command', async () => {
    await desk.must('alias', 'set', 'on', 'vms start $1');
    expect(await desk.must('help')).toMatch(/^ {2}Aliases +.*\bon\b/m);
    expect(await desk.must('help', 'nouns')).toMatch(/^ {2}on +vms start \$1$/m);
    for (const words of [
      ['on', '--help'],
      ['help', 'on'],
    ]) {
      const page = await desk.must(...words);
      expect(page).toMatch(/^on is an alias of: vmctl vms start \$1\n\nStart a VM\./);
    }
  });

  it('is in completion, with the choices of its command', async () => {
    expect(await desk.must('__complete', 'on')).toContain('on\tvms start $1\n');
    const choices = await desk.must('__complete', 'on', '--no');
    expect(choices).toContain('--no-wait\t');
    expect(choices).toBe(await desk.must('__complete', 'vms', 'start', '--no'));
  });
});

describe('vmctl alias', () => {
  it('stores aliases in the configuration, lists and deletes them', async () => {
    await desk.must('alias', 'set', 'gone', 'hosts list');
    const { stderr } = await desk.run(['alias', 'set', 'gone', 'vms list']);
    expect(stderr).toContain('vmctl gone runs: vmctl vms list (before: vmctl hosts list)');
    const file = join(desk.home().folder, 'config/vmctl/config.json');
    expect(JSON.parse(readFileSync(file, 'utf8')).aliases).toMatchObject({ gone: 'vms list' });
    expect(await desk.json('alias', 'list')).toContainEqual({ name: 'gone', command: 'vms list' });
    await desk.must('alias', 'delete', 'gone');
    const { code, stderr: refusal } = await desk.run(['gone']);
    expect(code).toBe(2);
    expect(refusal).toContain('unknown noun "gone"');
    expect((await desk.run(['alias', 'delete', 'onn'])).stderr).toContain('did you mean on?');
  });

  it('keeps aliases when another command changes the configuration', async () => {
    await desk.must('alias', 'set', 'kept', 'vms list');
    await desk.must('config', 'set', 'retries', '3');
    expect(await desk.must('alias', 'list', '-o', 'csv')).toContain('kept,vms list\n');
  });

  it.each([
    ['vms', 'vms list', 'the name is a command of vmctl', 'use another name'],
    ['vm', 'vms list', 'another name of vms', 'use another name'],
    ['a b', 'vms list', 'invalid name', 'use letters'],
    ['x', 'vms strat $1', 'vms has no verb "strat"', 'did you mean start'],
    ['x', 'restart $1', 'unknown noun "restart"', 'vmctl vms reboot'],
    ['x', 'vmctl vms list', 'the command begins with vmctl', 'leave out vmctl'],
    ['x', '!ls', 'aliases cannot run shell commands', 'vmctl-x on the PATH'],
    ['x', 'vms get $name', 'unknown placeholder $name', 'use $1 to $9'],
    ['x', 'vms get a$@', '$@ in "a$@" is not a separate word', 'use $1'],
    ['x', '""', 'no command given', "vmctl alias set x 'vms start $1'"],
  ])('refuses %s as a name of %s', async (name, command, problem, hint) => {
    const { code, stderr } = await desk.run(['alias', 'set', name, command]);
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
    expect(stderr).toContain(hint);
  });

  it('refuses an open quote', async () => {
    const { code, stderr } = await desk.run(['alias', 'set', 'x', 'vms list "a']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('has an open quote "')]);
    expect(stderr).toContain('hint: add the closing quote "');
  });

  it.each(['|', '||', '&&', '&', ';', '>', '>>', '<'])(
    'refuses the shell operator %s, unless it is quoted',
    async (operator) => {
      const refused = await desk.run(['alias', 'set', 'x', `vms list ${operator} head`]);
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining(`${operator} is an operator of shells`),
      ]);
      expect(refused.stderr).toContain('vmctl-x on the PATH');
      expect((await desk.run(['alias', 'set', 'x', `vms list "${operator}"`])).code).toBe(0);
    },
  );

  it('reports a configuration with a mistake', async () => {
    const home = join(desk.home().folder, 'broken');
    mkdirSync(join(home, 'vmctl'), { recursive: true });
    const file = join(home, 'vmctl/config.json');
    writeFileSync(file, '{"version":1,"aliases":{"on":1}}');
    chmodSync(file, 0o600);
    const outcome = await desk.home().runHere(['on'], { XDG_CONFIG_HOME: home });
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain('is not an object with texts');
  });
});

describe('completion', () => {
  it('continues after words of other tools', async () => {
    const expected = await desk.must('__complete', 'vms', 'reboot', '--');
    expect(expected).not.toBe('');
    expect(await desk.must('__complete', 'restart', '--')).toBe(expected);
    expect(await desk.must('__complete', 'vms', 'restart', '--')).toBe(expected);
    expect(await desk.must('__complete', 'server', 'sta')).toContain('start\tStart a VM\n');
  });

  it('asks the completion program of a plug-in', async () => {
    const folder = join(desk.home().folder, 'plugins');
    mkdirSync(folder);
    const scripts = {
      'vmctl-report': 'exit 1',
      'vmctl_complete-report': 'printf "%s\\tdoc of $VMCTL_CONTEXT\\n" "$1-$2x"; echo other',
    };
    for (const [name, script] of Object.entries(scripts)) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const env = { PATH: `${folder}${delimiter}${process.env['PATH']}` };
    const { stdout } = await desk
      .home()
      .run(['__complete', '-c', 'lab', 'report', 'first', 'first-'], env);
    expect(stdout).toBe('first-first-x\tdoc of lab\n');
  });
});
