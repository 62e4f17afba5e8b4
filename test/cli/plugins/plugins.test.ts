/** Search for plug-ins, and the command lines that start them. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPlugin, findPlugins } from '../../../src/cli/plugins/find-plugins.ts';
import { buildCommandLine, toVariables } from '../../../src/cli/plugins/run-plugin.ts';

const root = mkdtempSync(join(tmpdir(), 'vmctl-plugins-'));
const first = join(root, 'first');
const second = join(root, 'second');
const env = { PATH: [first, join(root, 'missing'), second].join(delimiter) };

function program(folder: string, name: string, mode = 0o755): void {
  writeFileSync(join(folder, name), '#!/bin/sh\n');
  chmodSync(join(folder, name), mode);
}

beforeAll(() => {
  for (const folder of [first, second]) mkdirSync(folder);
  program(first, 'vmctl-report');
  program(second, 'vmctl-report');
  program(second, 'vmctl-audit');
  program(second, 'vmctl-vms');
  program(second, 'vmctl-vm');
  program(second, 'vmctl-text', 0o644);
  program(second, 'other');
  mkdirSync(join(second, 'vmctl-folder'));
  program(second, 'vmctl-tool.exe');
  program(second, 'vmctl-script.CMD');
});
afterAll(() => rmSync(root, { recursive: true }));

describe('the search', () => {
  it('finds executables by name; the first folder of the PATH has priority', () => {
    expect(findPlugins(env, 'linux')).toEqual([
      { name: 'audit', path: join(second, 'vmctl-audit') },
      { name: 'report', path: join(first, 'vmctl-report') },
    ]);
  });

  it('ignores names of commands, also in the singular', () => {
    expect(findPlugin(env, 'vms', 'linux')).toBeUndefined();
    expect(findPlugin(env, 'vm', 'linux')).toBeUndefined();
  });

  it('ignores relative folders and names with separators', () => {
    expect(findPlugins({ PATH: `.${delimiter}${delimiter}first` }, 'linux')).toEqual([]);
    expect(findPlugin(env, '../first/vmctl-report', 'linux')).toBeUndefined();
  });

  it('uses suffixes on Windows', () => {
    const names = findPlugins(env, 'win32').map(({ name }) => name);
    expect(names).toEqual(['script', 'tool']);
    expect(findPlugins({ ...env, PATHEXT: '.EXE' }, 'win32').map(({ name }) => name)).toEqual([
      'tool',
    ]);
  });
});

describe('flags before the name', () => {
  it('become variables', () => {
    expect(toVariables(['-c', 'lab', '--url=https://a.example.com', '--insecure'], 'x')).toEqual({
      VMCTL_CONTEXT: 'lab',
      VMCTL_URL: 'https://a.example.com',
      VMCTL_INSECURE: '1',
    });
    expect(toVariables(['-cwest'], 'x')).toEqual({ VMCTL_CONTEXT: 'west' });
  });

  it('are refused if no variable exists', () => {
    expect(() => toVariables(['--sandbox'], 'report')).toThrow('--sandbox: not valid before');
    expect(() => toVariables(['--unknown'], 'report')).toThrow('--unknown: not valid before');
  });
});

describe('the command line', () => {
  it('is the executable with its arguments', () => {
    expect(buildCommandLine('/bin/vmctl-a', ['b c'], {})).toEqual({
      file: '/bin/vmctl-a',
      args: ['b c'],
      verbatim: false,
    });
  });

  it('quotes arguments of scripts of the Windows command interpreter', () => {
    const { file, args, verbatim } = buildCommandLine(
      'C:\\vmctl-a.cmd',
      ['b c', '"&calc', '%PATH%'],
      {
        ComSpec: 'C:\\cmd.exe',
      },
    );
    expect({ file, verbatim }).toEqual({ file: 'C:\\cmd.exe', verbatim: true });
    expect(args).toEqual([
      '/d',
      '/s',
      '/c',
      '"^"C:\\vmctl-a.cmd^" ^"b^ c^" ^"\\^"^&calc^" ^"^%PATH^%^""',
    ]);
  });
});
