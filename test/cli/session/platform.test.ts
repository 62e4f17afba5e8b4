/** Paths, programs and signals of Windows and macOS, with the platform as a parameter. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findOpener } from '../../../src/cli/session/open-browser.ts';
import {
  formatKillCommand,
  getDefaultProgram,
  quotePath,
  requireUnixSockets,
} from '../../../src/cli/session/platform.ts';
import { readProcessIdentity } from '../../../src/cli/session/process-identity.ts';
import { isOnPath } from '../../../src/cli/session/programs.ts';
import { requestStop, waitForStopRequest } from '../../../src/cli/session/signals.ts';
import { resolveXdgPaths } from '../../../src/cli/session/xdg-paths.ts';
import { UsageError } from '../../../src/client/errors.ts';
import { syncFolder } from '../../../src/server/files/durable-file.ts';
import { projectRoot } from '../../support/server.ts';

const windows = {
  APPDATA: 'C:\\Users\\jane\\AppData\\Roaming',
  LOCALAPPDATA: 'C:\\Users\\jane\\AppData\\Local',
  HOME: 'C:\\Users\\jane',
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-platform-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('paths', () => {
  it('are in the application data of the user on Windows', () => {
    expect(resolveXdgPaths(windows, 'win32')).toEqual({
      configFile: 'C:\\Users\\jane\\AppData\\Roaming\\vmctl\\config.json',
      stateDirectory: 'C:\\Users\\jane\\AppData\\Local\\vmctl',
      cacheDirectory: 'C:\\Users\\jane\\AppData\\Local\\vmctl',
    });
  });

  it.each(['darwin', 'linux'])('are XDG folders on %s', (platform) => {
    expect(resolveXdgPaths({ HOME: '/home/jane' }, platform)).toEqual({
      configFile: '/home/jane/.config/vmctl/config.json',
      stateDirectory: '/home/jane/.local/state/vmctl',
      cacheDirectory: '/home/jane/.cache/vmctl',
    });
  });

  it('of XDG variables have priority on Windows, if they are absolute there', () => {
    const given = { ...windows, XDG_CONFIG_HOME: 'D:\\config', XDG_STATE_HOME: 'state' };
    const { configFile, stateDirectory } = resolveXdgPaths(given, 'win32');
    expect(configFile).toBe('D:\\config\\vmctl\\config.json');
    expect(stateDirectory).toBe('C:\\Users\\jane\\AppData\\Local\\vmctl');
  });

  it('fall back to the home on Windows without application data', () => {
    const { configFile } = resolveXdgPaths({ HOME: 'C:\\Users\\jane' }, 'win32');
    expect(configFile).toBe('C:\\Users\\jane\\.config\\vmctl\\config.json');
  });

  it('of cached code are in the same folder as the cache', () => {
    const { findCache } = createRequire(import.meta.url)('../../../bin/compiled.js');
    expect(findCache(windows, 'win32')).toBe('C:\\Users\\jane\\AppData\\Local/vmctl');
    expect(findCache({ HOME: '/home/jane' }, 'darwin')).toBe('/home/jane/.cache/vmctl');
    expect(findCache({}, 'win32')).toBeUndefined();
  });
});

describe('programs', () => {
  it('are found with a suffix of PATHEXT on Windows', () => {
    writeFileSync(join(folder, 'viewer.exe'), '');
    chmodSync(join(folder, 'viewer.exe'), 0o755);
    const env = { Path: ['/nowhere', folder].join(delimiter) };
    expect(isOnPath(env, 'viewer', 'win32')).toBe(true);
    expect(isOnPath(env, 'viewer.EXE'.toLowerCase(), 'win32')).toBe(true);
    expect(isOnPath({ ...env, PATHEXT: '.CMD' }, 'viewer', 'win32')).toBe(false);
    expect(isOnPath(env, 'viewer', 'darwin')).toBe(false);
  });

  it.each([
    ['win32', 'notepad', 'more'],
    ['darwin', 'vi', 'less'],
  ])('without a selection are those of %s', (platform, editor, pager) => {
    expect(getDefaultProgram('editor', platform)).toBe(editor);
    expect(getDefaultProgram('pager', platform)).toBe(pager);
  });

  it('get paths with the quotes of their shell', () => {
    expect(quotePath('C:\\Users\\Jane Doe\\vm.yaml', 'win32')).toBe(
      '"C:\\Users\\Jane Doe\\vm.yaml"',
    );
    expect(quotePath('/tmp/Jane Doe/vm.yaml', 'darwin')).toBe("'/tmp/Jane Doe/vm.yaml'");
  });

  it('that open URLs need no display on Windows and macOS', () => {
    expect(findOpener({}, 'win32')).toEqual(['rundll32', 'url.dll,FileProtocolHandler']);
    expect(findOpener({}, 'darwin')).toEqual(['open']);
    expect(findOpener({}, 'linux')).toBeUndefined();
  });

  it.each(['linux', 'darwin', 'win32'])('open URLs with the program in BROWSER: %s', (platform) => {
    expect(findOpener({ BROWSER: '/opt/my browser' }, platform)).toEqual(['/opt/my browser']);
  });
});

describe('processes', () => {
  it('have a start time from PowerShell on Windows', () => {
    const calls: string[] = [];
    const run = (file: string, words: readonly string[]) => {
      calls.push([file, ...words].join(' '));
      return '134082345678901234\r\n';
    };
    expect(readProcessIdentity(42, 'win32', run)).toBe('134082345678901234');
    expect(calls).toEqual([expect.stringMatching(/^powershell\.exe .*Get-Process -Id 42 /)]);
  });

  it('have a start time from ps on macOS, except zombies', () => {
    const began = 'Sun Nov 29 00:00:00 2026';
    expect(readProcessIdentity(42, 'darwin', () => `S    ${began}\n`)).toBe(began);
    expect(readProcessIdentity(42, 'darwin', () => `Z    ${began}\n`)).toBeUndefined();
  });

  it.each(['win32', 'darwin'])('that do not exist have none on %s', (platform) => {
    const fail = () => {
      throw new Error('exit code 1');
    };
    expect(readProcessIdentity(42, platform, fail)).toBeUndefined();
  });

  it('in the background stop on Windows after a request in a file', async () => {
    const record = join(folder, 'server.json');
    const stopped = waitForStopRequest(record, 'win32');
    requestStop(process.pid, record, 'win32');
    expect(existsSync(`${record}.stop`)).toBe(true);
    await stopped;
    expect(existsSync(`${record}.stop`)).toBe(false);
  });

  it('are ended with the program of the system', () => {
    expect(formatKillCommand(42, 'win32')).toBe('taskkill /F /PID 42');
    expect(formatKillCommand(42, 'darwin')).toBe('kill -9 42');
  });
});

describe('files', () => {
  it('are durable on Windows without a flush of their folder', () => {
    const missing = join(folder, 'missing');
    expect(() => syncFolder(missing, 'win32')).not.toThrow();
    expect(() => syncFolder(missing, 'darwin')).toThrow('ENOENT');
  });

  it('of Unix sockets are refused on Windows', () => {
    const require = (platform: string) => () =>
      requireUnixSockets('--unix-socket', 'use --listen', platform);
    expect(require('win32')).toThrow(UsageError);
    expect(require('win32')).toThrow('--unix-socket: Unix sockets are not available on Windows');
    expect(require('darwin')).not.toThrow();
  });
});

it('only these files read the platform', () => {
  const sources = join(projectRoot, 'src');
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => readFileSync(join(sources, name), 'utf8').includes('process.platform'));
  expect(files.sort()).toEqual([
    'c-library.ts',
    'cli/commands/vms/console.ts',
    'cli/plugins/find-plugins.ts',
    'cli/session/open-browser.ts',
    'cli/session/platform.ts',
    'cli/session/process-identity.ts',
    'cli/session/signals.ts',
    'cli/session/xdg-paths.ts',
    'cli/text/display-width.ts',
    'extents/file-extents.ts',
    'features/qemu/serve.ts',
    'server/files/durable-file.ts',
    'server/server-parts.ts',
    'transfer/file-source.ts',
    'transfer/journal.ts',
    'transfer/spool-to-temp-file.ts',
  ]);
});
