/**
 * The two layouts of OVF documents: that which deployed services keep on storage and show (`Content`
 * with sections that tell their type), and that of the standard, as it is inside of OVA files
 * (`VirtualSystem`).
 */
import { element } from './element.ts';
import type { OvfDisk } from './machine.ts';
import { cimNumber, formatUris } from './numbers.ts';

export type LayoutName = 'ovf' | 'ova';

export interface Layout {
  readonly namespace: string;
  /** Attributes of the root beside the namespaces. */
  readonly root: (version: string) => Readonly<Record<string, string>>;
  /** Name of the element that numbers an item. */
  readonly instance: 'rasd:InstanceId' | 'rasd:InstanceID';
  /** Number of the hardware of kind video, and of kind graphics. */
  readonly video: string;
  readonly graphics: string;
  readonly section: (type: string, content: string, attributes?: Record<string, string>) => string;
  readonly machine: (id: string, content: string) => string;
  readonly system: (id: string, number: string | undefined, word: string, label: string) => string;
  /** A file among the references of the document. */
  readonly file: (disk: OvfDisk) => Readonly<Record<string, string | number>>;
  readonly disk: (disk: OvfDisk) => Readonly<Record<string, string | number | boolean | undefined>>;
  /** How an item names its disk. */
  readonly hostResource: (disk: OvfDisk) => string;
}

const gibibyte = 2 ** 30;
const standard = 'http://schemas.dmtf.org/ovf/envelope/1';
/** The namespace of numbers of operating systems beside those of the standard. */
const extension = 'http://www.ovirt.org/ovf';

/** Whole GiB, as documents count the sizes of disks. */
function gibibytes(bytes: number): number {
  return Math.ceil(bytes / gibibyte);
}

/** A size in GiB where it is whole, as services write it; else exactly, so that nothing grows. */
function capacity(bytes: number): Readonly<Record<string, string | number>> {
  const isWhole = bytes % gibibyte === 0;
  return {
    'ovf:capacity': isWhole ? bytes / gibibyte : bytes,
    'ovf:capacityAllocationUnits': isWhole ? 'byte * 2^30' : 'byte',
  };
}

const guestSystem = element('Info', 'Guest Operating System');

/** Where the image of a disk lies on its storage, from the folder of images. */
function storagePath({ id, imageId }: OvfDisk): string {
  return `${id}/${imageId}`;
}

export const layouts: Readonly<Record<LayoutName, Layout>> = {
  ovf: {
    namespace: `${standard}/`,
    root: (version) => ({ 'ovf:version': version }),
    instance: 'rasd:InstanceId',
    video: '20',
    graphics: '26',
    section: (type, content, attributes = {}) =>
      element('Section', content, { ...attributes, 'xsi:type': `ovf:${type}Section_Type` }),
    machine: (_id, content) =>
      element('Content', content, { 'ovf:id': 'out', 'xsi:type': 'ovf:VirtualSystem_Type' }),
    system: (id, _number, word) =>
      element('Section', guestSystem + element('Description', word), {
        'ovf:id': id,
        'ovf:required': 'false',
        'xsi:type': 'ovf:OperatingSystemSection_Type',
      }),
    file: (disk) => ({
      'ovf:href': storagePath(disk),
      'ovf:id': disk.imageId,
      'ovf:size': disk.actualSize ?? disk.provisionedSize,
      'ovf:description': 'Active VM',
      'ovf:disk_storage_type': 'IMAGE',
      'ovf:cinder_volume_type': '',
    }),
    disk: (disk) => ({
      'ovf:diskId': disk.imageId,
      'ovf:size': gibibytes(disk.provisionedSize),
      'ovf:actual_size': gibibytes(disk.actualSize ?? 0),
      'ovf:vm_snapshot_id': disk.snapshotId ?? '',
      'ovf:parentRef': '',
      'ovf:fileRef': storagePath(disk),
    }),
    hostResource: storagePath,
  },
  ova: {
    namespace: standard,
    root: () => ({ xmlns: standard, 'xmlns:ovirt': extension }),
    instance: 'rasd:InstanceID',
    video: '32768',
    graphics: '24',
    section: (type, content, attributes) => element(`${type}Section`, content, attributes),
    machine: (id, content) => element('VirtualSystem', content, { 'ovf:id': id }),
    system: (_id, number, word, label) =>
      element('OperatingSystemSection', guestSystem + element('Description', label), {
        'ovf:id': cimNumber(word),
        ...(number ? { 'ovirt:id': number } : {}),
        'ovf:required': 'false',
      }),
    file: (disk) => ({
      'ovf:href': disk.imageId,
      'ovf:id': disk.imageId,
      'ovf:size': disk.actualSize ?? disk.provisionedSize,
    }),
    disk: (disk) => ({
      'ovf:diskId': disk.id,
      ...capacity(disk.provisionedSize),
      'ovf:populatedSize': disk.actualSize,
      'ovf:parentRef': '',
      'ovf:fileRef': disk.imageId,
      'ovf:description': 'Active VM',
      'ovf:disk_storage_type': 'IMAGE',
      'ovf:cinder_volume_type': '',
    }),
    hostResource: ({ id }) => `ovf:/disk/${id}`,
  },
};

/** Attributes of a disk that are the same in both layouts. */
export function commonDiskAttributes(
  disk: OvfDisk,
): Record<string, string | number | boolean | undefined> {
  return {
    'ovf:format': disk.format && formatUris[disk.format],
    'ovf:volume-format': disk.format?.toUpperCase(),
    'ovf:volume-type': disk.sparse === false ? 'Preallocated' : 'Sparse',
  };
}
