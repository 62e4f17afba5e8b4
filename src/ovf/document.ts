/** OVF documents: contents, layouts, and access to their parts. */
import type { Resource } from '../model/resource.ts';
import { WireError } from '../wire/index.ts';
import { escapeAttribute, escapeText } from '../wire/xml-characters.ts';
import { readXmlTree, type XmlNode } from '../wire/xml-tree.ts';
import { cimNumber, formatUris } from './codes.ts';

/** Disk in a document. Sizes are bytes. */
export interface OvfDisk {
  readonly id: string;
  readonly imageId: string;
  readonly provisionedSize: number;
  /** Allocated size of the image. Absent if the document has none. */
  readonly actualSize?: number | undefined;
  readonly format?: 'raw' | 'cow' | undefined;
  readonly sparse?: boolean | undefined;
  readonly alias?: string | undefined;
  readonly description?: string | undefined;
  readonly shareable?: boolean | undefined;
  readonly wipeAfterDelete?: boolean | undefined;
  readonly incrementalBackup?: boolean | undefined;
  /** Snapshot of the image. */
  readonly snapshotId?: string | undefined;
  readonly storageDomains?: readonly string[] | undefined;
  readonly dataCenter?: string | undefined;
  /** File in an archive. */
  readonly file?: string | undefined;
  /** URI of the format of this file. */
  readonly fileFormat?: string | undefined;
  /** Attachment of the disk to the VM. */
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
  /** Names of the network and of the VNIC profile. */
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
  /** Configuration as in the API. */
  readonly vm: Resource<'vm'>;
  /** Only for templates. */
  readonly version?: Resource<'template'>['version'];
  readonly disks: readonly OvfDisk[];
  readonly nics: readonly OvfNic[];
  readonly consoles: readonly NonNullable<Resource<'graphics_console'>['protocol']>[];
  readonly watchdog?: Pick<Resource<'watchdog'>, 'model' | 'action'> | undefined;
  readonly snapshots: readonly OvfSnapshot[];
}

/** Parts of a document that describe its origin. Readers do not use them. */
export interface OvfSurroundings {
  readonly clusterName?: string | undefined;
  /** `4.7` */
  readonly clusterLevel?: string | undefined;
  readonly templateName?: string | undefined;
  readonly originalTemplateName?: string | undefined;
  /** Version of the service: `4.5.0.0`. */
  readonly version: string;
  /** Whether the object is a template. */
  readonly isTemplate: boolean;
  /** Time of the export. Absent in responses, which must not change between requests. */
  readonly exported?: Date | undefined;
}

type Values = Readonly<Record<string, string | number | boolean | undefined>>;

/** Writes an element with XML content. Attributes without a value are omitted. */
export function element(name: string, content: string, attributes: Values = {}): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeAttribute(String(value))}"`)
    .join('');
  return content === '' ? `<${name}${written}/>` : `<${name}${written}>${content}</${name}>`;
}

/** Writes consecutive elements with text. Members without a value are omitted. */
export function texts(members: Values): string {
  return Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => element(name, escapeText(String(value))))
    .join('');
}

const standardNamespace = /^http:\/\/schemas\.dmtf\.org\/ovf\/envelope\/1\/?$/;

/** Error for a text that is not an OVF document of a VM. The message contains the reason. */
export class OvfError extends Error {
  readonly #problem: string;

  constructor(problem: string) {
    super(`The configuration is not an OVF document: ${problem}.`);
    this.#problem = problem;
  }

  /**
   * Formats `FILE:LINE:COLUMN: problem`. Without a position, the problem concerns the entire
   * document.
   */
  in(file: string): string {
    const hasPosition = /^\d+:\d+: /.test(this.#problem);
    const problem = `not an OVF document of a VM: ${this.#problem}`;
    return hasPosition ? `${file}:${this.#problem}` : `${file}:1:1: ${problem}`;
  }
}

/** Creates the error for an invalid document. */
export function createOvfError(why: string): OvfError {
  return new OvfError(why);
}

export class OvfDocument {
  readonly root: XmlNode;
  /** Element of the VM. */
  readonly machine: XmlNode;
  readonly layout: LayoutName;
  readonly #prefix: string;

  /** Parses a document. Throws an `OvfError` if it is invalid. */
  constructor(text: string) {
    this.root = parseTree(text);
    const { name, attributes } = this.root;
    if (name !== 'Envelope') throw createOvfError(`its root element is ${name}, not Envelope`);
    const declared = [...attributes].find(
      ([key, value]) => key.startsWith('xmlns:') && standardNamespace.test(value),
    );
    this.#prefix = declared?.[0].slice('xmlns:'.length) ?? 'ovf';
    const machines = machinesIn(this.root);
    const [machine] = machines;
    if (!machine) throw createOvfError('it has neither Content nor VirtualSystem');
    if (machines.length > 1)
      throw createOvfError(`it describes ${machines.length} VMs; expected one`);
    this.machine = machine;
    this.layout = machine.name === 'Content' ? 'ovf' : 'ova';
  }

  /** Whether an oVirt-style service wrote the document. */
  get isNative(): boolean {
    return (
      this.layout === 'ovf' || [...this.root.attributes.values()].some((one) => one === extension)
    );
  }

  /** Attribute in the namespace of the standard, or without a namespace. */
  attribute(node: XmlNode, name: string): string | undefined {
    return node.attributes.get(`${this.#prefix}:${name}`) ?? node.attributes.get(name);
  }

  /** Section of a node by its kind: `VirtualHardware`. */
  section(node: XmlNode, kind: string): XmlNode | undefined {
    return node.children.find(
      (child) =>
        child.name === `${kind}Section` ||
        (child.name === 'Section' && getType(child).endsWith(`${kind}Section_Type`)),
    );
  }
}

function parseTree(text: string): XmlNode {
  try {
    return readXmlTree(text);
  } catch (error) {
    if (error instanceof WireError) throw createOvfError(error.message);
    throw error;
  }
}

function machinesIn(root: XmlNode): XmlNode[] {
  return root.children.flatMap((child) => {
    if (child.name === 'VirtualSystemCollection') return machinesIn(child);
    return child.name === 'Content' || child.name === 'VirtualSystem' ? [child] : [];
  });
}

function getType(node: XmlNode): string {
  const found = [...node.attributes].find(([key]) => key.endsWith(':type') || key === 'type');
  return found?.[1] ?? '';
}

/** Text of a child. `undefined` if the child is absent or empty. */
export function childText(node: XmlNode, name: string): string | undefined {
  return node.children.find((child) => child.name === name)?.text || undefined;
}

/** Parses an integer in a document. Throws an `OvfError` for other text. */
export function parseInteger(text: string, what: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) {
    throw createOvfError(`${what} is "${text.slice(0, 40)}", not an integer`);
  }
  return number;
}

/**
 * Converts units to bytes, rounded up. Throws an `OvfError` if a number does not represent the
 * result exactly.
 */
export function toBytes(count: number, bytesPerUnit: number, what: string): number {
  const bytes = Math.ceil(count * bytesPerUnit);
  if (!Number.isSafeInteger(bytes))
    throw createOvfError(`${what} is ${bytes} bytes, which is too large`);
  return bytes;
}

const namedUnits: Readonly<Record<string, number>> = {
  bytes: 1,
  kilobytes: 2 ** 10,
  megabytes: 2 ** 20,
  gigabytes: 2 ** 30,
};

/**
 * Bytes in a unit: `byte * 2^20` as in the standard, or `MegaBytes`. Throws an `OvfError` for an
 * unknown unit.
 */
export function parseUnit(unit: string): number {
  const named = namedUnits[unit.trim().toLowerCase()];
  if (named !== undefined) return named;
  const [base = '', ...factors] = unit.split('*').map((part) => part.trim());
  if (base !== 'byte') throw createOvfError(`the unit "${unit}" is not a unit of bytes`);
  return factors.reduce((product, factor) => {
    const [, number, power = '1'] = /^(\d{1,6})(?:\^(\d{1,2}))?$/.exec(factor) ?? [];
    if (number === undefined) throw createOvfError(`unknown unit "${unit}"`);
    return product * Number(number) ** Number(power);
  }, 1);
}

export type LayoutName = 'ovf' | 'ova';

export interface Layout {
  readonly namespace: string;
  /** Attributes of the root in addition to namespaces. */
  readonly root: (version: string) => Readonly<Record<string, string>>;
  /** Element with the number of an item. */
  readonly instance: 'rasd:InstanceId' | 'rasd:InstanceID';
  /** Resource types for video and graphics. */
  readonly video: string;
  readonly graphics: string;
  readonly section: (type: string, content: string, attributes?: Record<string, string>) => string;
  readonly machine: (id: string, content: string) => string;
  readonly system: (id: string, number: string | undefined, word: string, label: string) => string;
  /** Attributes of a file in the references of the document. */
  readonly file: (disk: OvfDisk) => Readonly<Record<string, string | number>>;
  readonly disk: (disk: OvfDisk) => Readonly<Record<string, string | number | boolean | undefined>>;
  /** Reference of an item to its disk. */
  readonly hostResource: (disk: OvfDisk) => string;
}

const gibibyte = 2 ** 30;
const standard = 'http://schemas.dmtf.org/ovf/envelope/1';
/** Namespace of numbers of operating systems that extend the standard. */
const extension = 'http://www.ovirt.org/ovf';

/** Size of a disk in GiB, rounded up as in documents. */
function gibibytes(bytes: number): number {
  return Math.ceil(bytes / gibibyte);
}

/**
 * Size in GiB if it is an integer, as services write it. Otherwise bytes, so that the disk does not
 * grow.
 */
function capacity(bytes: number): Readonly<Record<string, string | number>> {
  const isWhole = bytes % gibibyte === 0;
  return {
    'ovf:capacity': isWhole ? bytes / gibibyte : bytes,
    'ovf:capacityAllocationUnits': isWhole ? 'byte * 2^30' : 'byte',
  };
}

const guestSystem = element('Info', 'Guest Operating System');

/** Path of an image below the folder of images on its storage. */
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

/** Attributes of a disk that both layouts share. */
export function commonDiskAttributes(
  disk: OvfDisk,
): Record<string, string | number | boolean | undefined> {
  return {
    'ovf:format': disk.format && formatUris[disk.format],
    'ovf:volume-format': disk.format?.toUpperCase(),
    'ovf:volume-type': disk.sparse === false ? 'Preallocated' : 'Sparse',
  };
}
