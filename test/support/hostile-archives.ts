/** Damaged VM archives, and archives of damaged images; `ok-...` are valid. */
import { tarEnd, tarHeader, tarPadding } from '../../src/formats/tar.ts';
import { hostileImages } from './hostile-images.ts';

const time = new Date(0);

/** OVF document of a VM with one disk of `capacity` bytes in the file `disk.qcow2`. */
function ovfDocument(capacity: bigint | number | string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Envelope xmlns="http://schemas.dmtf.org/ovf/envelope/1" xmlns:ovf="http://schemas.dmtf.org/ovf/envelope/1"
  xmlns:rasd="http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_ResourceAllocationSettingData">
  <References><File ovf:href="disk.qcow2" ovf:id="file1"/></References>
  <DiskSection><Info/><Disk ovf:capacity="${capacity}" ovf:diskId="d1" ovf:fileRef="file1"
    ovf:format="http://www.gnome.org/~markmc/qcow-image-format.html"/></DiskSection>
  <VirtualSystem ovf:id="vm"><Info/><Name>vm</Name><VirtualHardwareSection><Info/>
    <Item><rasd:InstanceID>1</rasd:InstanceID><rasd:ResourceType>3</rasd:ResourceType>
      <rasd:VirtualQuantity>1</rasd:VirtualQuantity></Item>
    <Item><rasd:InstanceID>2</rasd:InstanceID><rasd:AllocationUnits>byte * 2^20</rasd:AllocationUnits>
      <rasd:ResourceType>4</rasd:ResourceType><rasd:VirtualQuantity>512</rasd:VirtualQuantity></Item>
    <Item><rasd:InstanceID>3</rasd:InstanceID><rasd:HostResource>ovf:/disk/d1</rasd:HostResource>
      <rasd:ResourceType>17</rasd:ResourceType></Item>
  </VirtualHardwareSection></VirtualSystem></Envelope>`;
}

interface Member {
  readonly name: string;
  readonly content: Buffer;
  /** Content of a preceding pax header. */
  readonly pax?: string;
  /** Replaces the size field of the header. */
  readonly sizeField?: Buffer;
  readonly type?: string;
}

/** Tar header with a given type and size, and a valid checksum. */
function createHeader({ name, content, sizeField, type = '0' }: Member): Buffer {
  const header = tarHeader(name, content.length, time);
  sizeField?.copy(header, 124);
  header.write(type, 156, 'latin1');
  header.write(' '.repeat(8), 148, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

function archive(...members: readonly Member[]): Buffer {
  const parts = members.flatMap((member) => [
    ...(member.pax === undefined
      ? []
      : [packed({ name: 'pax', content: Buffer.from(member.pax), type: 'x' })]),
    packed(member),
  ]);
  return Buffer.concat([...parts, tarEnd()]);
}

function packed(member: Member): Buffer {
  return Buffer.concat([createHeader(member), member.content, tarPadding(member.content.length)]);
}

const document = (capacity: bigint | number | string): Member => ({
  name: 'vm.ovf',
  content: Buffer.from(ovfDocument(capacity)),
});
const disk = (content: Buffer): Member => ({ name: 'disk.qcow2', content });

/** Pax record with its length prefix. */
function record(text: string): string {
  const length = text.length + 2;
  return `${length + String(length + String(length).length).length} ${text}\n`;
}

/** OVA archive of an image. */
export function createArchive(image: Buffer, capacity: bigint | number | string): Buffer {
  return archive(document(capacity), disk(image));
}

const whole = hostileImages['ok-data'] ?? Buffer.alloc(0);
const mebibyte = 2 ** 20;
const paxSizes = ['-1536', 'abc', '1.5', '1e300', '9007199254740993', ''];
const capacities = ['-1', '1.5', 'abc', '9007199254740993', '9223372036854775808'];

/** Archives whose archive structure or document is damaged, by name. */
export const hostileArchives: Readonly<Record<string, Buffer>> = {
  'ok-archive': createArchive(whole, mebibyte),
  ...Object.fromEntries(
    paxSizes.map((size) => [
      `pax-size-${size || 'empty'}`,
      archive(document(mebibyte), { ...disk(whole), pax: record(`size=${size}`) }),
    ]),
  ),
  'pax-size-negative-in-front': archive(
    { ...document(mebibyte), pax: record('size=-1536') },
    disk(whole),
  ),
  'pax-damaged': archive(document(mebibyte), { ...disk(whole), pax: '99 size=3\n' }),
  'size-field-2e52': archive(document(mebibyte), {
    ...disk(whole),
    sizeField: Buffer.from('800000000010000000000000', 'hex'),
  }),
  'size-field-negative': archive(document(mebibyte), {
    ...disk(whole),
    sizeField: Buffer.alloc(12, 0xff),
  }),
  'size-field-text': archive(document(mebibyte), {
    ...disk(whole),
    sizeField: Buffer.from('12345678abc\0'),
  }),
  'cut-off': createArchive(whole, mebibyte).subarray(0, 3 * 65_536),
  'no-document': archive(disk(whole)),
  'no-disk': archive(document(mebibyte)),
  'empty-document': archive({ name: 'vm.ovf', content: Buffer.alloc(0) }, disk(whole)),
  'no-archive': Buffer.alloc(4096, 'x'),
  'only-zeros': Buffer.alloc(1024),
  'ok-document-elsewhere': archive({ ...document(mebibyte), name: '../../../vm.ovf' }, disk(whole)),
  ...Object.fromEntries(
    capacities.map((capacity) => [`capacity-${capacity}`, createArchive(whole, capacity)]),
  ),
};
