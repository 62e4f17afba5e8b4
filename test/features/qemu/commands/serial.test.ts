/** Serial consoles of real VMs, through the server of the API. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vmctl } from '../../../support/server.ts';
import { findSkipReason, GuestSite, guestTimeout as timeout } from '../support/guest-site.ts';

const obstacle = findSkipReason();
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;
const hasTerminal = spawnSync('script', ['--version']).error === undefined;
const words = ['vms', 'console', 'guest', '--serial'];

let site: GuestSite;

/** A running command with its output. */
interface Running {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

function start(program: string, args: readonly string[]): Running {
  const child = spawn(program, args, { env: { ...site.home.env } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output: () => text, ended };
}

/** Sends a line until the output contains a text: a shell ignores input before it starts. */
async function exchange({ child, output }: Running, line: string, text: string): Promise<void> {
  for (let round = 0; !output().includes(text); round += 1) {
    if (round % 25 === 0) child.stdin?.write(line);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function waitFor({ output }: Running, text: string): Promise<void> {
  while (!output().includes(text)) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.skipIf(obstacle !== undefined)(`the serial console of a VM of QEMU${note}`, () => {
  beforeAll(async () => {
    site = await GuestSite.createBare({ console: { enabled: true } });
    await site.start();
  }, timeout);
  afterAll(() => site.remove(), timeout);

  it(
    'forwards standard input and output, to one client at a time',
    async () => {
      const running = start(process.execPath, [vmctl, ...words]);
      // The echo of the command does not contain the sum.
      await exchange(running, 'echo sum $((1200+34))\n', 'sum 1234');
      const second = await site.home.run(words);
      expect(second.code).toBe(6);
      expect(second.stderr).toContain('another client uses the serial console');
      running.child.stdin?.end();
      expect(await running.ended).toBe(0);
    },
    timeout,
  );

  it(
    'receives all input before the command ends',
    async () => {
      const { code, stderr } = await site.home.run(words, {}, '\necho piped > /run/piped\n');
      expect(code, stderr).toBe(0);
      await site.untilGuest('cat /run/piped', 'piped');
    },
    timeout,
  );

  it.skipIf(!hasTerminal)(
    'ends by the key Ctrl-] in a terminal, which then has its settings again',
    async () => {
      const command = `"${process.execPath}" "${vmctl}" ${words.join(' ')}; echo end $?; stty -a`;
      const running = start('script', ['-qec', command, '/dev/null']);
      await waitFor(running, 'Ctrl-] ends');
      await exchange(running, 'echo sum $((1200+34))\n', 'sum 1234');
      // The guest receives Ctrl-C, and the command continues.
      running.child.stdin?.write('\u0003');
      running.child.stdin?.write('\u001d');
      await waitFor(running, 'end 0');
      await running.ended;
      expect(running.output()).toMatch(/[^-]icanon/);
    },
    timeout,
  );

  it(
    'requires authentication, the permit, and a VM that runs',
    async () => {
      const denied = await site.home.run(words, { VMCTL_TOKEN: 'wrong' });
      expect(denied.code).not.toBe(0);
      const found = await site.api.json('GET', '/users?search=usrname%3Djane@internal');
      const id = found.json<{ user: { id: string }[] }>().user[0]?.id;
      const granted = await site.api.json('POST', `/vms/${site.vm}/permissions`, {
        ...{ user: { id }, role: { name: 'ReadOnlyAdmin' } },
      });
      expect(granted.status, granted.text).toBe(201);
      // The sample users have the password of the administrator.
      const user = { VMCTL_USERNAME: 'jane@internal' };
      const refused = await site.home.run(words, user);
      expect(refused.stderr).toContain('connect_to_serial_console');
      expect(refused.code).toBe(5);
      const running = start(process.execPath, [vmctl, ...words]);
      await waitFor(running, 'serial console of');
      await site.stop();
      expect(await running.ended).toBe(0);
      expect((await site.home.run(words)).stderr).toContain(
        'is down; a console needs a running VM',
      );
    },
    timeout,
  );
});
