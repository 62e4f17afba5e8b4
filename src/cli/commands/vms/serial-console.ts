/**
 * `vmctl vms console --serial`: the text console of a VM, through the server of the API or the serial
 * proxy of the service.
 */

import { ConflictError, UsageError } from '../../../client/errors.ts';
import { shellQuote } from '../../../client/shell-quote.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { resolveServer } from '../../session/server-target.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';
import { type ConsoleFlags, statesWithoutScreen } from './console.ts';
import { requireProgram, runProgram } from './openssh.ts';

/** Default port and user of the proxy. */
const proxyPort = 2222;
const proxyUser = 'ovirt-vmconsole';

/**
 * Attaches the terminal if the server of the API offers consoles. Otherwise, runs ssh in the terminal,
 * which signs in at the proxy with a key that the service stores; the exit code is that of ssh.
 * `--dry-run` prints the command line of ssh instead.
 */
export async function runSerialConsole(
  cli: CommandContext,
  word: string,
  flags: ConsoleFlags,
): Promise<void> {
  const [other] = (['file', 'viewer', 'protocol'] as const).filter(
    (name) => flags[name] !== undefined,
  );
  if (other !== undefined) throw new UsageError(`--serial and --${other} exclude each other`);
  const { host, port } = parseProxy(cli, flags.proxy);
  const mayBeDirect = flags.proxy === undefined && !cli.isOn('dryRun');
  if (!mayBeDirect) requireSsh(cli);
  const runner = await OperationRunner.create(cli, {});
  const vm = await runner.find(word, '/vms');
  const status = String(vm.item?.status ?? '');
  const name = String(vm.item?.name ?? vm.id);
  if (statesWithoutScreen.has(status)) {
    throw new ConflictError(`${vm.label} is ${status}; a console needs a running VM`, {
      code: 'not_running',
      hint: `vmctl vms start ${shellQuote(name)}`,
    });
  }
  // Only complete responses contain this attribute.
  const whole = await runner.call({
    path: '/vms/{vm}',
    name: 'get',
    ids: { vm: vm.id },
    query: { all_content: true },
  });
  if (whole.console?.enabled === false) {
    throw new ConflictError(`${vm.label} has no serial console`, {
      code: 'no_serial_console',
      hint: `vmctl vms update ${shellQuote(name)} --set console.enabled=true (applies at the next start)`,
    });
  }
  if (mayBeDirect) {
    const client = await cli.client();
    const { openSerialConsole } = await import('../../../client/console-tunnel.ts');
    const console = await openSerialConsole(client.http, await client.token(), vm.id);
    if (console) {
      const { attachTerminal } = await import('./console-terminal.ts');
      return await attachTerminal(cli, console, vm.label);
    }
    requireSsh(cli);
  }
  const words = ['-t', '-p', port, `${proxyUser}@${host}`, 'connect', `--vm-id=${vm.id}`];
  await runProgram(cli, 'ssh', words);
}

function requireSsh(cli: CommandContext): void {
  if (!cli.isOn('dryRun')) requireProgram(cli, 'ssh', 'use --dry-run to print the command');
}

/** Parses `--proxy` (default: the host of the service). */
function parseProxy(
  cli: CommandContext,
  given: string | undefined,
): { readonly host: string; readonly port: string } {
  if (given === undefined) {
    return { host: new URL(resolveServer(cli).url).hostname, port: String(proxyPort) };
  }
  const [, host, port] = /^([\w.-]+|\[[0-9a-f:]+\])(?::(\d{1,5}))?$/i.exec(given) ?? [];
  if (host === undefined || host.startsWith('-') || Number(port ?? 1) > 65_535) {
    throw new UsageError(`--proxy ${given}: not HOST or HOST:PORT`);
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: port ?? String(proxyPort) };
}
