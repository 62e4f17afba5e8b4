/** Interface of a hypervisor that runs VMs as processes. Without one, timers simulate VMs. */
import type { Duplex } from 'node:stream';
import type { Resource } from '../../model/resource.ts';
import type { TypeName } from '../../model/resources/index.ts';
import type { BitmapOfPeriod } from '../store/stored-members.ts';

/** A disk of a run. */
export interface RunDisk {
  readonly id: string;
  /** Virtual size in bytes. */
  readonly size: number;
  readonly format: 'raw' | 'cow';
  readonly qcowVersion: 2 | 3;
  readonly interface: 'ide' | 'sata' | 'virtio' | 'virtio_scsi';
  readonly readOnly: boolean;
  readonly shareable: boolean;
  /** Position in the boot order, from 1; undefined if the VM does not boot from it. */
  readonly bootIndex?: number;
}

/** A NIC of a run. */
export interface RunNic {
  readonly id: string;
  readonly mac: string;
  readonly model: 'virtio' | 'e1000' | 'e1000e' | 'rtl8139';
  readonly linked: boolean;
  readonly bootIndex?: number;
}

/** Disc in the CD drive: a file in the folder of ISO images, or a disk with an ISO image. */
export type RunDisc = { readonly file: string } | { readonly disk: string };

/** Linux that boots without a boot loader: names of files in the folder of ISO images. */
export interface RunLinux {
  readonly kernel: string;
  readonly initrd?: string;
  readonly commandLine?: string;
}

/** Data for the first boot of a guest, which reads them from a disc. */
export interface FirstBoot {
  readonly kind: 'cloud-init' | 'sysprep' | 'ignition';
  /** Files by their path on the disc. They may contain passwords. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** Hardware of a VM for one run. */
export interface VmHardware {
  /** Memory in bytes. */
  readonly memory: number;
  readonly sockets: number;
  readonly cores: number;
  readonly threads: number;
  readonly machine: 'i440fx' | 'q35';
  readonly firmware: 'bios' | 'uefi' | 'secure_uefi';
  readonly hasBootMenu: boolean;
  /** Undefined for a boot from the devices. */
  readonly linux?: RunLinux;
  readonly disks: readonly RunDisk[];
  readonly nics: readonly RunNic[];
  /** The CD drive; empty without a disc. */
  readonly cdrom: { readonly disc?: RunDisc; readonly bootIndex?: number };
  /** Action of the watchdog after its timeout; undefined without a watchdog. */
  readonly watchdog?: WatchdogAction;
  readonly hasBalloon?: boolean;
  readonly hasSound?: boolean;
}

export type WatchdogAction = 'none' | 'reset' | 'poweroff' | 'pause';

/** Memory of a snapshot, for a VM whose disks are as in the snapshot. It remains after the load. */
export interface SnapshotMemory {
  /** Id of the memory. */
  readonly id: string;
  /** Hardware of the VM now. It must be that of the snapshot; settings for the boot are not used. */
  readonly hardware: VmHardware;
  /** Whether the guest does not run yet. */
  readonly isPaused: boolean;
}

/** A change of the power state of a VM. It may be repeated after a crash of the server. */
export type PowerChange =
  | {
      readonly change: 'launch';
      /** Id of the run. A process of another run of the VM is ended first. */
      readonly run: string;
      readonly hardware: VmHardware;
      readonly isPaused: boolean;
      readonly firstBoot?: FirstBoot;
    }
  /** Continues a suspended VM, with the hardware of its run before. */
  | {
      readonly change: 'restore';
      /** Id of the new run. */
      readonly run: string;
      /** The memory of a snapshot to load; undefined for that of the suspended VM. */
      readonly snapshot?: SnapshotMemory;
    }
  | {
      readonly change: 'migrate';
      /** Id of the run after the migration. */
      readonly run: string;
      readonly isPaused: boolean;
      /** Maximum downtime in milliseconds; undefined for the default of the hypervisor. */
      readonly downtime?: number;
      /** Whether the processors slow down if the guest changes its memory too fast. */
      readonly throttles: boolean;
    }
  /** `suspend` saves the memory and ends the process. */
  | { readonly change: 'suspend' }
  | { readonly change: 'cancel_migration' }
  /** `shutdown` asks the guest, and resolves before the guest ends. */
  | { readonly change: 'shutdown' | 'stop' | 'resume' | 'reset' | 'reboot' };

/** A copy of a disk of a running VM to a new image. */
export interface RunningCopy {
  readonly disk: RunDisk;
  /** Id of the new image. */
  readonly to: string;
  readonly recording?: WriteRecording;
}

/** Recording of the writes of a guest to a disk, in periods that the copies of the disk separate. */
export interface WriteRecording {
  /** Id of the period that begins with the copy. */
  readonly begins: string;
  /**
   * Periods that end with the copy. The hypervisor passes their writes to the server. It must not
   * pass those of a period that it has not recorded completely.
   */
  readonly ends: readonly BitmapOfPeriod[];
}

/**
 * A change of the devices of a running VM. It may be repeated after a crash of the server. Disks and
 * NICs have the ids of the API.
 */
export type DeviceChange =
  /** Inserts a disc, or ejects the present one. The guest cannot prevent it. */
  | { readonly change: 'disc'; readonly disc?: RunDisc }
  | { readonly change: 'plug_nic'; readonly nic: RunNic }
  | { readonly change: 'link'; readonly nic: string; readonly linked: boolean }
  | { readonly change: 'plug_disk'; readonly disk: RunDisk }
  /** Resolves when the guest has released the device; rejects after a limit. */
  | { readonly change: 'unplug_nic'; readonly nic: string }
  | { readonly change: 'unplug_disk'; readonly disk: string }
  /** Extends a disk to `size` bytes. */
  | { readonly change: 'extend_disk'; readonly disk: string; readonly size: number }
  /**
   * Copies the content of disks at one point in time, with frozen file systems if the guest has an
   * agent. Resolves when the copies are complete, and the writes of ended periods are stored. With
   * `memory`, also saves the memory of the guest at this point, with this id; the file systems are then
   * not frozen.
   */
  | {
      readonly change: 'copy_disks';
      readonly copies: readonly RunningCopy[];
      /** Whether the change fails if the guest does not freeze its file systems. */
      readonly requiresFrozen?: boolean;
      /** Id of the saved memory. */
      readonly memory?: string;
    };

/** A device by its kind and id. */
export interface RunDevice {
  readonly kind: 'nic' | 'disk';
  readonly id: string;
}

/** End of the process of a VM without a request of the server. */
export interface VmExit {
  readonly cause: 'guest' | 'crash' | 'unknown';
  /** Sentence for the event. */
  readonly message: string;
}

/** Report of the guest agent. */
export type GuestReport = Pick<
  Resource<'vm'>,
  'fqdn' | 'guest_operating_system' | 'guest_time_zone'
> & {
  readonly devices: readonly Pick<Resource<'reported_device'>, 'name' | 'mac' | 'ips'>[];
};

/** Measurements of a running VM. */
export interface VmMeasures {
  /** Used processors of the computer: 0.5 is half of one. */
  readonly processors: number;
  /** Resident memory of the process in bytes. */
  readonly memory: number;
  /** Progress of a migration in percent. */
  readonly migration?: number;
  /** Measurements of its disks by id. */
  readonly disks?: ReadonlyMap<string, DiskMeasures>;
}

/** Measurements of a disk of a running VM. */
export interface DiskMeasures {
  /** Bytes per second. */
  readonly readRate: number;
  readonly writeRate: number;
  /** Operations since the start of the process. */
  readonly reads: number;
  readonly writes: number;
  /** Mean duration of an operation in seconds; 0 without operations. */
  readonly readLatency: number;
  readonly writeLatency: number;
  readonly flushLatency: number;
}

/** Functions of the server that a hypervisor calls. */
export interface HypervisorListener {
  /** Ids of the VMs that run according to the store. */
  listRunning(): readonly string[];
  /** States of all VMs by id. */
  listStates(): ReadonlyMap<string, string>;
  /** Ids of the memories that snapshots contain. Others can be removed. */
  listMemories(): ReadonlySet<string>;
  /**
   * Records the end of a process. Resolves with false if a pending change decides about the VM
   * instead, so that the hypervisor reports again later.
   */
  exited(vm: string, exit: VmExit): Promise<boolean>;
  /** Records a report of the guest agent that differs from the last one. */
  reported(vm: string, report: GuestReport): Promise<void>;
  /** Records that a write failed and the VM is paused. */
  paused(vm: string, detail: 'enospc' | 'eio'): Promise<void>;
  /** Records that a guest has released a device after the limit of its change. */
  unplugged(vm: string, device: RunDevice): Promise<void>;
  /** Records that the watchdog of a VM has acted. */
  watchdogActed(vm: string, action: WatchdogAction): Promise<void>;
  /** Reports an internal error. */
  report(error: unknown): void;
}

/** Access to the consoles of running VMs: screens by VNC, and serial consoles. */
export interface HypervisorConsoles {
  /** TCP port of a VM at the server; undefined if none is open. */
  port(vm: string): number | undefined;
  /**
   * Sets the password of a VM, which viewers can use for `seconds`. It has at most 8 characters.
   * Rejects with a `HypervisorError`.
   */
  setTicket(
    vm: string,
    ticket: { readonly value: string; readonly seconds: number },
  ): Promise<void>;
  /**
   * Connects to the serial console of a VM. Rejects with a `HypervisorError` if another client uses
   * it.
   */
  openSerial(vm: string): Promise<Duplex>;
}

export interface Hypervisor {
  /** Value of `--hypervisor` that selects it. */
  readonly name: string;
  readonly unsupported: readonly UnsupportedOperations[];
  /** Whether VMs can have firmware with secure boot. */
  readonly hasSecureBoot: boolean;
  /** Finds the processes of running VMs again, and reports ended ones. */
  begin(listener: HypervisorListener): Promise<void>;
  /** Compares processes and the store: ends processes of other VMs, and reports missing ones. */
  reconcile(): Promise<void>;
  /** Disconnects from the processes, which continue. */
  end(): Promise<void>;
  /** Changes the power state of a VM. Rejects with a `HypervisorError`. */
  change(vm: string, change: PowerChange): Promise<void>;
  /** Changes the devices of a running VM. Rejects with a `HypervisorError`. */
  changeDevices(vm: string, change: DeviceChange): Promise<void>;
  /** Reads the screen of a VM, for the next `takeScreen`. */
  captureScreen(vm: string): Promise<void>;
  /** The captured screen as PNG, once; undefined without one. */
  takeScreen(vm: string): Buffer | undefined;
  /** Undefined if the server offers no consoles. */
  readonly consoles?: HypervisorConsoles | undefined;
  /** Reason why a VM cannot be suspended or migrated, as known at the last check. */
  findObstacle(vm: string): string | undefined;
  /** Last measurements; undefined before the first ones. */
  measure(vm: string): VmMeasures | undefined;
}

/** Operations that the hypervisor refuses while the VM runs. */
export interface UnsupportedOperations {
  readonly type: TypeName;
  /** Names of the operations in the model. */
  readonly operations: readonly string[];
  /** Refused only if the body contains one of these members: `disk.qcow_version`. */
  readonly sent?: readonly string[];
  /** Refused only with this query parameter. */
  readonly parameter?: string;
}

/** Failure of a hypervisor. Users see the message, which contains no paths of the server. */
export class HypervisorError extends Error {}

/** Name of the work that changes the power state of a VM. */
export const powerWorkName = 'change power state';

/** Name of the work that changes devices of running VMs before a transition ends. */
export const runningPartWorkName = 'change running VMs';
