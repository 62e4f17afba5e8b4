/** `vmctl vms console --serial`: the text console of a machine, over the serial proxy of the service. */
import { ConflictError, UsageError } from '../../../client/errors.ts';
import { shellQuote } from '../../../client/shell-quote.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { targetOf } from '../../session/target.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';
import { type ConsoleFlags, switchedOff } from './console.ts';
import { handOver, requireSsh, sshLine } from './ssh.ts';

/** The port and the user of the proxy, as the service sets it up. */
const proxyPort = 2222;
const proxyUser = 'ovirt-vmconsole';

/**
 * Hands the terminal over to ssh, which signs in at the proxy with a key that the service knows; its exit
 * code becomes that of the command. `--dry-run` prints the command line instead.
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
  const { host, port } = proxyOf(cli, flags.proxy);
  const isShown = cli.on('dryRun');
  if (!isShown) requireSsh(cli, 'use --dry-run to print the command');
  const runner = await OperationRunner.begin(cli, {});
  const vm = await runner.find(word, '/vms');
  const status = String(vm.item?.['status'] ?? '');
  const name = String(vm.item?.['name'] ?? vm.id);
  if (switchedOff.has(status)) {
    throw new ConflictError(`${vm.label} is ${status}; a console needs a running VM`, {
      code: 'not_running',
      hint: `vmctl vms start ${shellQuote(name)}`,
    });
  }
  // Said in full answers alone.
  const whole = await runner.call({
    path: '/vms/{vm}',
    name: 'get',
    ids: { vm: vm.id },
    query: { all_content: true },
  });
  const { enabled } = (whole['console'] ?? {}) as { readonly enabled?: unknown };
  if (enabled === false) {
    throw new ConflictError(`${vm.label} has no serial console`, {
      code: 'no_serial_console',
      hint: `vmctl vms update ${shellQuote(name)} --set console.enabled=true (applies at the next start)`,
    });
  }
  const words = ['-t', '-p', port, `${proxyUser}@${host}`, 'connect', `--vm-id=${vm.id}`];
  if (isShown) {
    await write(cli.io.stdout, sshLine(words));
    return;
  }
  cli.exitCode = await handOver(cli, words);
}

/** Where the proxy is: by default beside the service. */
function proxyOf(
  cli: CommandContext,
  given: string | undefined,
): { readonly host: string; readonly port: string } {
  if (given === undefined) {
    return { host: new URL(targetOf(cli).url).hostname, port: String(proxyPort) };
  }
  const [, host, port] = /^([\w.-]+|\[[0-9a-f:]+\])(?::(\d{1,5}))?$/i.exec(given) ?? [];
  if (host === undefined || host.startsWith('-') || Number(port ?? 1) > 65_535) {
    throw new UsageError(`--proxy ${given}: not HOST or HOST:PORT`);
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: port ?? String(proxyPort) };
}
