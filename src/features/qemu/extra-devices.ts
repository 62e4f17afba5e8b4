/** Arguments of QEMU for the watchdog, memory balloon and sound card of a VM. */
import type { VmHardware, WatchdogAction } from '../../server/core/hypervisor.ts';

/** Actions of QEMU by those of the API. */
const actions: Readonly<Record<WatchdogAction, string>> = {
  none: 'none',
  reset: 'reset',
  poweroff: 'poweroff',
  pause: 'pause',
};

/** Arguments for devices after all others, whose positions they do not change. */
export function createExtraDevices({
  watchdog,
  hasBalloon,
  hasSound,
  machine,
}: VmHardware): string[] {
  return [
    ...(watchdog === undefined
      ? []
      : [...device('i6300esb'), '-action', `watchdog=${actions[watchdog]}`]),
    // The guest reports freed pages, which QEMU returns to the computer.
    ...(hasBalloon ? device('virtio-balloon-pci', { 'free-page-reporting': true }) : []),
    ...(hasSound ? createSoundCard(machine) : []),
  ];
}

/** A sound card without speakers. */
function createSoundCard(machine: VmHardware['machine']): string[] {
  const controller = machine === 'q35' ? 'ich9-intel-hda' : 'intel-hda';
  return [
    ...['-audiodev', 'none,id=sound'],
    ...device(controller, { id: 'hda' }),
    ...device('hda-duplex', { bus: 'hda.0', audiodev: 'sound' }),
  ];
}

/** A device as JSON. QEMU creates devices in another form before all devices in this one. */
function device(driver: string, properties: object = {}): string[] {
  return ['-device', JSON.stringify({ driver, ...properties })];
}
