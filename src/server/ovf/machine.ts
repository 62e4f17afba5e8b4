/** What an OVF document says of a machine or template, whichever layout it has. */
import type { Resource } from '../../model/resource.ts';

/** A disk that a document names. Sizes are bytes. */
export interface OvfDisk {
  readonly id: string;
  readonly imageId: string;
  readonly provisionedSize: number;
  /** What its image takes; absent where the document does not say. */
  readonly actualSize?: number | undefined;
  readonly format?: 'raw' | 'cow' | undefined;
  readonly sparse?: boolean | undefined;
  readonly alias?: string | undefined;
  readonly description?: string | undefined;
  readonly shareable?: boolean | undefined;
  readonly wipeAfterDelete?: boolean | undefined;
  readonly incrementalBackup?: boolean | undefined;
  /** The snapshot that the image belongs to. */
  readonly snapshotId?: string | undefined;
  readonly storageDomains?: readonly string[] | undefined;
  readonly dataCenter?: string | undefined;
  /** File inside of an archive. */
  readonly file?: string | undefined;
  /** URI of the format of that file, where the document names one. */
  readonly fileFormat?: string | undefined;
  /** How the machine has it. */
  readonly attachment: Pick<
    Resource<'disk_attachment'>,
    'interface' | 'bootable' | 'read_only' | 'pass_discard' | 'active' | 'uses_scsi_reservation'
  >;
}

export interface OvfNic {
  readonly id?: string | undefined;
  readonly name: string;
  readonly interface: Resource<'nic'>['interface'];
  readonly mac?: string | undefined;
  readonly linked: boolean;
  readonly plugged: boolean;
  /** Names of the network and of the profile in it. */
  readonly network?: string | undefined;
  readonly profile?: string | undefined;
}

export interface OvfSnapshot {
  readonly id: string;
  readonly type: string;
  readonly description: string;
  readonly created?: string | undefined;
}

export interface OvfMachine {
  readonly id?: string | undefined;
  /** The configuration, as the API shows it. */
  readonly vm: Resource<'vm'>;
  readonly disks: readonly OvfDisk[];
  readonly nics: readonly OvfNic[];
  readonly consoles: readonly NonNullable<Resource<'graphics_console'>['protocol']>[];
  readonly watchdog?: Pick<Resource<'watchdog'>, 'model' | 'action'> | undefined;
  readonly snapshots: readonly OvfSnapshot[];
}

/** What a document tells beside the machine, and readers do not need. */
export interface OvfSurroundings {
  readonly clusterName?: string | undefined;
  /** `4.7` */
  readonly clusterLevel?: string | undefined;
  readonly templateName?: string | undefined;
  readonly originalTemplateName?: string | undefined;
  /** Of the service: `4.5.0.0`. */
  readonly version: string;
  /** Whether it is a template. */
  readonly isTemplate: boolean;
  /** When it was taken out; absent where it is only shown, which must not differ from time to time. */
  readonly exported?: Date | undefined;
}
