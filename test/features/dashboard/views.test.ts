/** Laws of all views of the dashboard: keys that always work, complete errors, names instead of ids. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommandRunner } from '../../../src/cli/commands/embedded/command-runner.ts';
import { nounModules } from '../../../src/cli/noun-modules.ts';
import { CommandContext } from '../../../src/cli/session/command-context.ts';
import { openClient } from '../../../src/cli/session/connect.ts';
import { Dashboard } from '../../../src/features/dashboard/dashboard.ts';
import { createState } from '../../../src/features/dashboard/run.ts';
import type { Line } from '../../../src/features/dashboard/screen/screen-view.ts';
import type { Mode } from '../../../src/features/dashboard/state.ts';
import { listOfferedVerbs } from '../../../src/features/dashboard/verbs.ts';
import {
  createListView,
  createObjectView,
  textTabs,
  toNamed,
  type View,
} from '../../../src/features/dashboard/views.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let home: string;
let cli: CommandContext;
let runner: CommandRunner;
let dashboard: Dashboard;

beforeAll(async () => {
  server = await startTestServer(['--inventory', 'small', '--speed', '0']);
  home = mkdtempSync(join(tmpdir(), 'vmctl-views-'));
  const io = {
    env: {
      HOME: home,
      VMCTL_URL: server.ready.base_url,
      VMCTL_USERNAME: server.ready.username,
      VMCTL_PASSWORD: server.password,
      VMCTL_CA_FILE: server.ready.ca_file,
    },
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  cli = new CommandContext(io, new AbortController().signal, openClient);
  runner = new CommandRunner(cli, nounModules);
  for (const words of [
    ['vms', 'stop', 'vm-01'],
    ['snapshots', 'create', '--vm', 'vm-01', '--description', 'before'],
    ['vms', 'start', 'vm-01'],
    ['imagetransfers', 'create', '--disk', 'vm-02_Disk1', '--direction', 'download'],
  ]) {
    expect(await runner.runChanging(words)).not.toHaveProperty('error');
  }
});
afterAll(async () => {
  await cli.close();
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});
beforeEach(() => {
  const state = createState(cli, 'vms', { interval: '5s' }, [200, 60]);
  dashboard = new Dashboard(cli, runner, state, 5_000);
});

function toText(lines: readonly Line[]): string {
  return lines.map(({ segments }) => segments.map(({ text }) => text).join('')).join('\n');
}

function press(...keys: readonly string[]): void {
  for (const text of keys) dashboard.press({ text });
}

async function open(view: View): Promise<void> {
  dashboard.state.views = [view];
  dashboard.state.mode = { kind: 'browse' };
  await dashboard.refresh();
}

/** Opens every list, every tab of its first object, and each of these in the states of a list. */
async function* openAllViews(): AsyncGenerator<string> {
  for (const { noun } of dashboard.state.nouns) {
    const list = createListView(noun);
    await open(list);
    expect([noun, list.trouble]).toEqual([noun, undefined]);
    yield noun;
    const [item] = list.listing?.items ?? [];
    if (!item) continue;
    const object = toNamed(noun, item);
    const { tabs } = createObjectView(object);
    for (const [tab, name] of tabs.entries()) {
      const isText = textTabs.some((one) => one === name);
      const view = createObjectView(object);
      view.tab = tab;
      view.list = isText ? undefined : createListView(name, object);
      await open(view);
      yield `${noun} ${name}`;
    }
  }
}

const noModes: readonly Mode[] = [{ kind: 'browse' }];
const boxes = (): readonly Mode[] => {
  const verbs = listOfferedVerbs('vms');
  const [verb] = verbs;
  const command = { noun: 'vms', verb: 'stop', objects: [{ noun: 'vms', id: '1', name: 'a' }] };
  if (!verb) throw new Error('VMs have no verbs');
  return [
    { kind: 'verbs', verbs, current: 0 },
    { kind: 'help', top: 0, back: { kind: 'browse' } },
    { kind: 'activity', top: 0 },
    { kind: 'message', top: 0 },
    { kind: 'confirm', proposal: { command, verb } },
    { kind: 'leave' },
  ];
};

/** Presses the keys that have to work in each mode of the current view. */
function checkKeys(label: string, modes: readonly Mode[]): void {
  const { state } = dashboard;
  const quit = vi.spyOn(dashboard, 'quit').mockImplementation(() => undefined);
  for (const mode of modes) {
    const where = `${label}, ${mode.kind}`;
    state.mode = mode;
    press('?');
    const isHelp = mode.kind === 'help';
    expect([where, dashboard.view().dialog?.title]).toEqual([where, isHelp ? undefined : 'Keys']);
    if (!isHelp) press('?');
    expect([where, state.mode.kind]).toEqual([where, isHelp ? 'browse' : mode.kind]);
    if (mode.kind !== 'confirm' && mode.kind !== 'leave') {
      state.mode = mode;
      press('/');
      expect([where, dashboard.view().input?.label]).toEqual([where, '/']);
      dashboard.press({ name: 'escape' });
      expect([where, state.mode.kind]).toEqual([where, mode.kind]);
    }
    state.mode = mode;
    quit.mockClear();
    press('q');
    expect([where, quit.mock.calls.length]).toEqual([where, mode.kind === 'browse' ? 1 : 0]);
    expect([where, state.mode.kind]).toEqual([where, 'browse']);
  }
  quit.mockRestore();
}

describe('keys', () => {
  it('handles q, ? and / in every view', async () => {
    let count = 0;
    for await (const label of openAllViews()) {
      checkKeys(label, noModes);
      count += 1;
    }
    expect(count).toBeGreaterThan(100);
  }, 120_000);

  it.each(['list', 'object', 'loading', 'loading object', 'failed', 'empty', 'sidebar'])(
    'handles q, ? and / in each mode: %s',
    async (kind) => {
      const list = createListView('vms', undefined, kind === 'empty' ? 'name=none' : '');
      if (!kind.startsWith('loading')) await open(list);
      else dashboard.state.views = [list];
      const object = createObjectView({ noun: 'vms', id: '1', name: 'a' });
      if (kind.endsWith('object')) dashboard.state.views.push(object);
      if (kind === 'object') object.text = ['one', 'two'];
      if (kind === 'failed') list.trouble = 'cannot connect';
      if (kind === 'sidebar') dashboard.state.focus = 'sidebar';
      checkKeys(kind, [...noModes, ...boxes()]);
    },
  );

  it('types q, ? and / into a search', async () => {
    await open(createListView('macpools'));
    press('/', 'q', '?', '/');
    expect(dashboard.view().input?.text).toBe('q?/');
  });

  it('shows only the lines of a text that match the filter, and all after Esc', () => {
    const view = createObjectView({ noun: 'vms', id: '1', name: 'a' });
    view.text = ['one', 'two', 'Tower'];
    dashboard.state.views.push(view);
    press('/', 't', 'w', 'o');
    dashboard.press({ name: 'enter' });
    expect(toText(dashboard.view().lines.slice(1))).toBe('two');
    expect(toText([dashboard.view().heading])).toContain('/ two');
    press('/', 'x');
    expect(toText(dashboard.view().lines.slice(1))).toBe('no lines matching the filter');
    dashboard.press({ name: 'enter' });
    dashboard.press({ name: 'escape' });
    expect(toText(dashboard.view().lines.slice(1))).toBe('one\ntwo\nTower');
  });

  it('filters the lines of boxes', () => {
    press('?', '/', 'r', 'e', 'f', 'r');
    expect(toText(dashboard.view().dialog?.lines ?? [])).toMatch(/^r +refresh now$/);
    dashboard.press({ name: 'enter' });
    expect(toText(dashboard.view().dialog?.lines ?? [])).toMatch(/^r +refresh now$/);
    dashboard.state.mode = { kind: 'verbs', verbs: listOfferedVerbs('vms'), current: 0 };
    press('/', 'r', 'e', 'b');
    dashboard.press({ name: 'enter' });
    expect(toText(dashboard.view().dialog?.lines ?? [])).toMatch(/^>b reboot[^\n]*$/);
  });
});

describe('errors', () => {
  const squeeze = (text: string) => text.replaceAll(/\s/g, '');
  /** All lines of the messages, from page to page. */
  const readMessages = (): string => {
    press('m');
    const pages: string[] = [];
    for (let before = ''; ; ) {
      const lines = (dashboard.view().dialog?.lines ?? []).map((line) => toText([line]));
      if (lines.join() === before) break;
      before = lines.join();
      pages.push(...lines.filter((line) => !pages.includes(line)));
      dashboard.press({ name: 'down' });
    }
    press('q');
    return squeeze(pages.join(''));
  };
  const long = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');

  it.each([
    ['short', 'cannot connect'],
    ['of some lines', long.slice(0, 200)],
    ['without spaces', long.slice(0, 220).replaceAll(' ', '-')],
    ['of many lines', long],
  ])('are complete in 60 columns: %s', (_, error) => {
    dashboard.state.size = { width: 60, height: 24 };
    const list = createListView('vms');
    dashboard.state.views = [list];
    for (const show of [
      () => dashboard.showMessage(error, 'bad'),
      () => {
        list.trouble = error;
      },
    ]) {
      show();
      dashboard.notifyChange();
      const { status, height } = dashboard.view();
      expect(status.length).toBeLessThanOrEqual(height / 3);
      const isShown = squeeze(toText(status)).includes(squeeze(error));
      if (!isShown) expect(toText(status)).toContain('m shows the complete message');
      expect(readMessages()).toContain(squeeze(error));
      for (const line of status) expect(toText([line]).length).toBeLessThanOrEqual(60);
    }
  });

  it('are complete in the view of an object that cannot be read', async () => {
    dashboard.state.size = { width: 60, height: 24 };
    const name = `missing-${'x'.repeat(80)}`;
    await open(createObjectView({ noun: 'vms', id: name, name }));
    expect(squeeze(toText(dashboard.view().lines))).toContain(name);
    expect(squeeze(toText(dashboard.view().status))).toContain(name);
  });

  it('of a search are complete', async () => {
    dashboard.state.size = { width: 60, height: 24 };
    await open(createListView('vms'));
    press('/');
    dashboard.press({ text: `name=${'x'.repeat(70)} and status=zz` });
    expect(squeeze(toText(dashboard.view().status))).toMatch(/"zz"isnotavalidstatus.*\)$/);
  });
});

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Attributes of details whose value is an id by definition, or refers to an object without a name. */
const idAttributes =
  /^ *(id|\S*image_id|\S*uuid|\S*serial_number|\S*logical_units|image|\S*_url|large_icon|small_icon|migration\.policy|version\.base_template)\b/;

describe('names', () => {
  it('are shown instead of ids of other objects', async () => {
    const found: string[] = [];
    for await (const label of openAllViews()) {
      const { lines, heading } = dashboard.view();
      const view = dashboard.state.views.at(-1);
      const isYaml = view?.kind === 'object' && view.tabs[view.tab] === 'yaml';
      if (isYaml) continue;
      const list = view?.kind === 'list' ? view : view?.list;
      const own = new Set(list?.listing?.items.map(({ id }) => id));
      if (view?.kind === 'object') own.add(view.object.id);
      const texts = [heading, ...lines].map((line) => toText([line]));
      for (const text of texts) {
        if (view?.kind === 'object' && !list && idAttributes.test(text)) continue;
        for (const [id] of text.matchAll(uuid)) if (!own.has(id)) found.push(`${label}: ${text}`);
      }
    }
    expect(found).toEqual([]);
  }, 120_000);
});
