/** Flags of `vms start` for one run: boot order and CD. */

import { UsageError } from '../../client/errors.ts';
import { defineFlag, type FlagSpec } from '../args/parameters.ts';
import { getObject } from '../text/objects.ts';
import type { Run } from './run.ts';

type Body = Record<string, unknown>;

/** Boot devices of the API by their name in flags. */
const bootDevices: Readonly<Record<string, string>> = {
  cdrom: 'cdrom',
  disk: 'hd',
  hd: 'hd',
  network: 'network',
};

export const runOnceFlags: readonly FlagSpec[] = [
  defineFlag('--once', 'apply --boot and --cdrom to this run only'),
  defineFlag('--boot <device,...>', 'with --once: boot order of cdrom, disk and network', {
    values: ['cdrom', 'disk', 'network'],
    many: true,
  }),
  defineFlag('--cdrom <iso>', 'with --once: ISO image in the drive (name or id)'),
];

/** Adds the overrides of one run to the body of `start`. */
export async function addRunOnce({ client, options }: Run, _: unknown, body: Body): Promise<Body> {
  const { once, boot, cdrom } = options;
  if (once !== true) {
    const alone = boot !== undefined ? '--boot' : cdrom !== undefined ? '--cdrom' : undefined;
    if (alone === undefined) return body;
    throw new UsageError(`${alone} needs --once`, {
      hint: 'add --once; vmctl vms update --boot-devices and cdroms change are permanent',
    });
  }
  const vm: Body = { ...getObject(body, 'vm') };
  if (boot !== undefined) {
    vm['os'] = { ...getObject(vm, 'os'), boot: { devices: parseBootOrder(String(boot)) } };
  }
  if (cdrom !== undefined) {
    const { resolveIsoImage } = await import('./iso-images.ts');
    vm['cdroms'] = [{ file: { id: await resolveIsoImage(client, String(cdrom)) } }];
  }
  return { ...body, vm };
}

function parseBootOrder(text: string): readonly string[] {
  const devices = text.split(',').map((word) => {
    const plain = word.trim().toLowerCase();
    const device = Object.hasOwn(bootDevices, plain) ? bootDevices[plain] : undefined;
    if (device !== undefined) return device;
    throw new UsageError(`--boot ${text}: "${word.trim()}" is not a boot device`, {
      hint: 'use cdrom, disk or network, separated by commas',
    });
  });
  if (new Set(devices).size === devices.length) return devices;
  throw new UsageError(`--boot ${text}: a device appears twice`, { hint: '--boot cdrom,disk' });
}
