/** Web page of a server in a real browser: sign-in, views and changes. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Browser, hasBrowser } from '../../../support/browser.ts';
import { type Home, makeHome } from '../../../support/command.ts';
import { projectRoot, startTestServer, type TestServer } from '../../../support/server.ts';

let server: TestServer;
let home: Home;
let page: string;

beforeAll(async () => {
  server = await startTestServer(['--inventory', 'small', '--speed', '0']);
  home = makeHome(server);
  page = new URL('/_vmctl/ui', server.ready.base_url).href;
});
afterAll(async () => {
  home.remove();
  await server.stop();
});

const files = () => {
  const folder = join(projectRoot, 'dist/inspector');
  return readdirSync(folder)
    .filter((name) => !name.endsWith('.map'))
    .map((name) => join(folder, name));
};

describe('the files of the page', () => {
  it('are at most 150 KB', () => {
    const size = files().reduce((sum, file) => sum + statSync(file).size, 0);
    expect(size).toBeLessThan(150_000);
  });

  it('parse nothing as HTML, and contain no inline script', () => {
    for (const file of files()) {
      expect(readFileSync(file, 'utf8')).not.toMatch(
        /innerHTML|outerHTML|insertAdjacent|document\.write|eval\(/,
      );
    }
    const html = readFileSync(join(projectRoot, 'dist/inspector/index.html'), 'utf8');
    expect(html.match(/<script[^>]*>[^<]/)).toBeNull();
    expect(html).not.toMatch(/ on\w+=/);
  });
});

describe.skipIf(!hasBrowser)('the web page', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await Browser.start();
  }, 60_000);
  beforeEach(() => browser.renew());
  afterAll(() => browser.stop());

  async function signIn(hash = '', password = server.password): Promise<void> {
    await browser.open(`${page}${hash}`);
    await browser.until(/Password/);
    await browser.type(password);
    await browser.press('Enter');
  }

  /** All requests go to this server, and the console has no errors. */
  function expectClean(): void {
    const { host } = new URL(page);
    const elsewhere = browser.requested.filter((url) => !/^(data|blob|about):/.test(url));
    for (const url of elsewhere) expect(new URL(url).host).toBe(host);
    expect(browser.complaints).toEqual([]);
  }

  it('reports a wrong password; the right one shows the site, and signing out ends the session', async () => {
    await signIn('', 'wrong');
    await browser.until(/not signed in: \S/);
    expect(await browser.value('document.activeElement.type')).toBe('password');
    browser.complaints.length = 0;
    await browser.type(server.password);
    await browser.press('Enter');
    const text = await browser.until(/VMs: 3/);
    expect(text).toMatch(/Hosts: 2\s+2 up/);
    await browser.until(/host1 up[\s\S]*CPU \d+ %, memory \d+ %/);
    await browser.until(/admin@internal/);
    expectClean();
    await browser.value(
      "[...document.querySelectorAll('button')].find((b) => b.textContent === 'Sign out').click()",
    );
    await browser.until(/Sign in/);
    await browser.open(page);
    await browser.until(/Password/);
  });

  it('shows live requests with bodies, and without secrets', async () => {
    await signIn('#requests');
    await browser.until(/Pause/);
    const user = { user_name: 'ada', password: 'swordfish-99', domain: { name: 'internal-authz' } };
    await home.runHere(['users', 'create', '-f', '-'], {}, JSON.stringify(user));
    await browser.until(/POST\s+\S+\/users/);
    await home.runHere(['vms', 'start', 'vm-01']);
    await browser.until(/\/start\s+409/);
    await browser.value(
      "[...document.querySelectorAll('tbody tr')].find((row) => /users/.test(row.textContent)).click()",
    );
    const text = await browser.until(/Response[\s\S]*no entry called ada/);
    const paths = await browser.value(
      "[...document.querySelectorAll('tbody tr td:nth-child(3)')].map((cell) => cell.textContent).join(' ')",
    );
    // Requests of the inspector itself are excluded.
    expect(paths).not.toMatch(/statistics|favicon/);
    expect(paths).toMatch(/\/users\b/);
    expect(text).toContain('"password": "(hidden)"');
    expect(text).not.toContain('swordfish');
    await browser.press('ArrowDown', 'Enter');
    await browser.until(/GET|POST/);
    expectClean();
  });

  it('shows live events', async () => {
    await signIn('#events');
    await browser.until(/Description/i);
    await home.runHere(['vms', 'stop', 'vm-03']);
    await browser.until(/vm-03/);
    expectClean();
  });

  it('shows objects as a tree, with keyboard navigation; names with HTML have no effect', async () => {
    const name = '<img src=x onerror=document.title=1>';
    await home.runHere(['tags', 'create', '--name', 'plain', '--description', name]);
    await home.runHere(['bookmarks', 'create', '--name', name, '--value', 'Vms:']);
    await signIn('#objects');
    await browser.until(/bookmarks/);
    await browser.value("document.querySelector('[role=treeitem]').focus()");
    const current = () => browser.value('document.activeElement.firstElementChild.textContent');
    for (let at = await current(); at !== 'bookmarks'; at = await current()) {
      await browser.press('ArrowDown');
    }
    await browser.press('ArrowRight');
    await browser.until(/<img src=x/);
    await browser.press('ArrowRight', 'Enter');
    const text = await browser.until(/JSON[\s\S]*XML[\s\S]*<bookmark/);
    expect(text).toContain('"value": "Vms:"');
    await browser.press('ArrowLeft', 'ArrowLeft');
    expect(await browser.value("document.activeElement.getAttribute('aria-expanded')")).toBe(
      'false',
    );
    expect(await browser.value('document.images.length')).toBe(0);
    expect(await browser.value('document.title')).toBe('Objects - vmctl serve');
    expectClean();
  });

  it('applies a new rule, and no disabled one', async () => {
    await signIn('#faults');
    await browser.until(/operation/);
    const set = (field: string, value: string) =>
      browser.value(
        `document.querySelector('input[name=${field}]').value = ${JSON.stringify(value)}`,
      );
    await set('operation', 'start');
    await set('detail', 'as asked for');
    await browser.value("document.querySelector('form').requestSubmit()");
    await browser.until(/"operation":"start"/);
    const struck = await home.runHere(['vms', 'start', 'vm-02']);
    expect(struck.stderr).toContain('as asked for');
    await browser.value("document.querySelector('tbody input[type=checkbox]').click()");
    await browser.until(/"operation":"start"/);
    await until(async () => (await rules()).length === 0);
    const done = await home.runHere(['vms', 'start', 'vm-02']);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    await drawn(false);
    await browser.value("document.querySelector('tbody input[type=checkbox]').click()");
    await until(async () => (await rules()).length === 1);
    await drawn(true);
    await browser.value("document.querySelector('tbody button').click()");
    await until(async () => (await rules()).length === 0);
    expectClean();
  });

  /** Waits until the row of the rule is rendered as enabled or disabled. */
  async function drawn(isOn: boolean): Promise<void> {
    const box = "document.querySelector('tbody input[type=checkbox]')";
    await until(
      async () => (await browser.value(`${box}?.checked === ${isOn} && !${box}.disabled`)) === true,
    );
  }

  async function rules(): Promise<readonly unknown[]> {
    const { stdout } = await home.runHere(['api', 'GET', '/_vmctl/faults']);
    return (JSON.parse(stdout) as { faults: unknown[] }).faults;
  }

  async function until(holds: () => Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  it('charts the load of hosts while the page is open, in every section', async () => {
    const charts = '[...document.querySelectorAll("svg[role=img]")]';
    const labels = async () =>
      String(await browser.value(`${charts}.map((one) => one.ariaLabel).join('; ')`));
    /** Lines of the first chart. */
    const read = async (measure: string) =>
      String(
        await browser.value(
          `[...(${charts}[0]?.querySelectorAll('polyline.${measure}') ?? [])].map((one) => one.getAttribute('points')).join(' ')`,
        ),
      ).split(' ');
    const countSamples = () =>
      browser.requested.filter((url) => url.includes('/hosts?follow=statistics')).length;

    await signIn();
    await browser.until(
      /Last 10 minutes; one sample every 5 seconds while this page is open, since \S/,
    );
    expect((await browser.text()).match(/10 minutes ago\s+now/g)).toHaveLength(2);
    expect(await labels()).toMatch(
      /^Load of host1, last \d+ seconds?: CPU \d+ to \d+ %, memory \d+ to \d+ %; Load of host2/,
    );

    await browser.value("location.hash = 'events'");
    await browser.until(/Description/i);
    const before = countSamples();
    await until(async () => countSamples() > before);
    await browser.value("location.hash = 'site'");
    await browser.until(/10 minutes ago/);
    await until(async () => new Set(await read('cpu')).size > 1);
    expect(new Set(await read('memory')).size).toBeGreaterThan(1);

    const done = await home.runHere(['hosts', 'deactivate', 'host2']);
    expect(done, done.stderr).toMatchObject({ code: 0 });
    await browser.until(/host2 maintenance[^%]*CPU no data, memory no data/);
    await home.runHere(['hosts', 'activate', 'host2']);
    expectClean();
  });

  it('reports that it cannot read the load, and continues', async () => {
    const rule = '{"operation":"list","type":"host","status":500,"detail":"disk on fire"}';
    const added = await home.runHere(['api', 'POST', '/_vmctl/faults', '--input', '-'], {}, rule);
    expect(added, added.stderr).toMatchObject({ code: 0 });
    await signIn();
    await browser.until(/no sample: [^\n]*disk on fire/);
    await home.runHere(['api', 'DELETE', '/_vmctl/faults']);
    await browser.until(/host1 up[\s\S]*CPU \d+ %/);
    expect(await browser.text()).not.toContain('no sample');
  });

  it('fits a phone, and is usable with the keyboard', async () => {
    await browser.resize(360, 740);
    await signIn();
    await browser.until(/VMs: 3/);
    for (const section of ['site', 'requests', 'events', 'objects', 'faults']) {
      await browser.value(`location.hash = '${section}'`);
      await browser.until(/Sign out/);
      const wide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
      expect([section, await browser.value(wide)]).toEqual([section, false]);
    }
    await browser.value("document.getElementById('tab-faults').focus()");
    await browser.press('ArrowRight', 'Enter');
    await browser.until(/VMs: 3/);
    expectClean();
  });
});

/** `npm run screenshot` sets this variable. */
const picture = process.env['VMCTL_PICTURE'];

describe.runIf(hasBrowser && picture !== undefined)('a picture of the page', () => {
  it('shows requests', async () => {
    const browser = await Browser.start();
    try {
      await browser.resize(1000, 620);
      await browser.open(`${page}#requests`);
      await browser.until(/Password/);
      await browser.type(server.password);
      await browser.press('Enter');
      await browser.until(/Pause/);
      for (const words of [
        ['vms', 'list'],
        ['tags', 'create', 'evening'],
        ['vms', 'get', 'nobody'],
        ['vms', 'start', 'vm-01'],
        ['hosts', 'list'],
      ]) {
        await home.runHere(words);
      }
      await browser.until(/hosts\s+200/);
      const row =
        "[...document.querySelectorAll('tbody tr')].find((one) => /409/.test(one.textContent))";
      await browser.value(`${row}.click()`);
      await browser.until(/Operation Failed/);
      await browser.value('document.activeElement.blur()');
      writeFileSync(picture ?? '', await browser.picture());
    } finally {
      await browser.stop();
    }
  });
});

describe('the page without a browser', () => {
  it.each(['ui', 'ui/app.js', 'ui/style.css'])(
    'serves %s without authentication, with a strict policy',
    async (path) => {
      const { code, stdout } = await home.runHere(['api', 'GET', `/_vmctl/${path}`, '--include']);
      expect(code).toBe(0);
      expect(stdout).not.toContain('{{');
    },
  );

  it('requires authentication for the data of the page', async () => {
    const env = { VMCTL_TOKEN: 'nobody' };
    const { code } = await home.runHere(['api', 'GET', '/_vmctl/requests'], env);
    expect(code).not.toBe(0);
  });

  it.each([
    ['opens in a browser with a display', { DISPLAY: ':0' }],
    ['prints the URL without a display', { DISPLAY: '', WAYLAND_DISPLAY: '' }],
  ])('%s', async (_, screen) => {
    const bin = join(home.folder, 'bin');
    const opened = join(home.folder, 'opened');
    mkdirSync(bin, { recursive: true });
    rmSync(opened, { force: true });
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > '${opened}'\n`, { mode: 0o755 });
    const env = { ...screen, PATH: `${bin}:${process.env['PATH']}` };
    const free = ['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'];
    const begun = await home.run(['serve', '--memory', '--detach', '--open', ...free], env);
    expect(begun, begun.stderr).toMatchObject({ code: 0 });
    try {
      const [, url] = /web page: (\S+)/.exec(begun.stderr) ?? [];
      expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/_vmctl\/ui$/);
      if (screen.DISPLAY === '') {
        expect(begun.stderr).toContain(`cannot open a browser here; open ${url}`);
        return;
      }
      while (!existsSync(opened) || readFileSync(opened, 'utf8') === '') {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(readFileSync(opened, 'utf8')).toBe(`${url}\n`);
    } finally {
      await home.run(['serve', '--stop']);
    }
  });

  it('refuses --open with a command and with a replay', async () => {
    const { code, stderr } = await home.run(['serve', '--memory', '--open', '--', 'true']);
    expect(code).toBe(2);
    expect(stderr).toContain('--open');
  });
});
