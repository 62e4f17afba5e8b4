/** Installation of QEMU: program, accelerator, firmware. */
import { execFile, spawn } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Installation {
  readonly program: string;
  /** `7.2.22` */
  readonly version: string;
  readonly accelerator: 'kvm' | 'tcg';
  /** Firmware for UEFI, if it is installed. */
  readonly uefi: Firmware | undefined;
  /** The same for secure boot, with the keys of Microsoft. */
  readonly secureUefi?: Firmware | undefined;
}

export interface Firmware {
  readonly code: string;
  /** Initial variables, which are copied for each VM. */
  readonly vars: string;
}

/** Programs: the name of Debian, and the path of Enterprise Linux. */
const programs = ['qemu-system-x86_64', '/usr/libexec/qemu-kvm'];

/** Milliseconds for the test of an accelerator, and for its firmware to run. */
const probeTimeoutMs = 10_000;
const firmwareMs = 300;

/** Finds QEMU in the search path; undefined if it is not installed. */
export async function findInstallation(
  path = process.env['PATH'] ?? '',
): Promise<Installation | undefined> {
  const program = findProgram(path);
  if (program === undefined) return undefined;
  const { stdout } = await run(program, ['--version']);
  return {
    program,
    version: /version (\S+)/.exec(stdout)?.[1] ?? 'unknown',
    accelerator: (await hasKvm(program)) ? 'kvm' : 'tcg',
    uefi: firmwares.find(isInstalled),
    secureUefi: secureFirmwares.find(isInstalled),
  };
}

function findProgram(path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const paths = programs.flatMap((name) =>
    name.startsWith('/') ? [name] : folders.map((folder) => join(folder, name)),
  );
  return paths.find((one) => {
    try {
      accessSync(one, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Whether KVM executes a VM. A device that can be opened is not sufficient: some containers have one
 * with which QEMU aborts, or the processor stops with an internal error.
 */
async function hasKvm(program: string): Promise<boolean> {
  try {
    accessSync('/dev/kvm', constants.R_OK | constants.W_OK);
  } catch {
    return false;
  }
  const options = ['-accel', 'kvm', '-machine', 'q35', '-cpu', 'host', '-display', 'none'];
  const child = spawn(program, ['-nodefaults', ...options, '-qmp', 'stdio'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: probeTimeoutMs,
    killSignal: 'SIGKILL',
  });
  const send = (command: string) => child.stdin.write(`${JSON.stringify({ execute: command })}\n`);
  let output = '';
  child.stdin.on('error', () => {});
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  send('qmp_capabilities');
  const asking = setTimeout(() => {
    send('query-status');
    send('quit');
  }, firmwareMs);
  const code = await new Promise((resolve) => {
    child.once('error', () => resolve(undefined));
    child.once('close', resolve);
  });
  clearTimeout(asking);
  return code === 0 && output.includes('"status": "running"');
}

function isInstalled({ code, vars }: Firmware): boolean {
  return existsSync(code) && existsSync(vars);
}

/** Files of Debian, and of Enterprise Linux. */
const firmwares: readonly Firmware[] = [
  { code: '/usr/share/OVMF/OVMF_CODE_4M.fd', vars: '/usr/share/OVMF/OVMF_VARS_4M.fd' },
  { code: '/usr/share/OVMF/OVMF_CODE.fd', vars: '/usr/share/OVMF/OVMF_VARS.fd' },
  { code: '/usr/share/edk2/ovmf/OVMF_CODE.fd', vars: '/usr/share/edk2/ovmf/OVMF_VARS.fd' },
];

const secureFirmwares: readonly Firmware[] = [
  { code: '/usr/share/OVMF/OVMF_CODE_4M.ms.fd', vars: '/usr/share/OVMF/OVMF_VARS_4M.ms.fd' },
  { code: '/usr/share/OVMF/OVMF_CODE.secboot.fd', vars: '/usr/share/OVMF/OVMF_VARS.ms.fd' },
  {
    code: '/usr/share/edk2/ovmf/OVMF_CODE.secboot.fd',
    vars: '/usr/share/edk2/ovmf/OVMF_VARS.secboot.fd',
  },
];
