/** UEFI variables of VMs: one file per VM, which remains between its runs. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import type { VmHardware } from '../../server/core/hypervisor.ts';
import type { Installation } from './installation.ts';

/** Folder with the variables of all VMs. It is not the working folder of a VM. */
export const firmwareFolder = '.firmware';

/** Files of the firmware of a VM. */
export interface FirmwareFiles {
  readonly code: string;
  readonly vars: string;
  /** Whether only the firmware itself writes to the variables. */
  readonly isSecure: boolean;
}

/**
 * The firmware of a VM, with a copy of the initial variables if it has none of this size yet.
 * Undefined if the firmware is not installed.
 */
export function prepareFirmware(
  { uefi, secureUefi }: Pick<Installation, 'uefi' | 'secureUefi'>,
  root: string,
  id: string,
  firmware: VmHardware['firmware'],
): FirmwareFiles | undefined {
  const isSecure = firmware === 'secure_uefi';
  const installed = isSecure ? secureUefi : uefi;
  if (!installed) return undefined;
  const folder = join(root, firmwareFolder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const vars = join(folder, isSecure ? `${id}.secure` : id);
  const fits = existsSync(vars) && statSync(vars).size === statSync(installed.vars).size;
  if (!fits) {
    copyFileSync(installed.vars, vars);
    chmodSync(vars, 0o600);
  }
  return { code: installed.code, vars, isSecure };
}

/** Removes the variables of VMs that do not exist. */
export function removeOldVariables(root: string, exists: (id: string) => boolean): void {
  const folder = join(root, firmwareFolder);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (!exists(name.replace('.secure', ''))) rmSync(join(folder, name), { force: true });
  }
}
