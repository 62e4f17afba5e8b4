/** OVF documents: reading of written and foreign documents, and refusal of invalid ones. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { enums } from '../../src/model/enums.ts';
import { operatingSystems } from '../../src/model/operating-systems.ts';
import { bootNumber, bootOrder, cimNumber, findCimSystem } from '../../src/ovf/codes.ts';
import { type LayoutName, OvfError, type OvfMachine } from '../../src/ovf/document.ts';
import { networksIn, networksText } from '../../src/ovf/members.ts';
import { readOvf } from '../../src/ovf/read.ts';
import { writeOvf } from '../../src/ovf/write.ts';

const gibibyte = 2 ** 30;
const mebibyte = 2 ** 20;
const systems = operatingSystems.map(([, word]) => word);

const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((one) => one.trim() === one);
const word = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,20}$/);
const one = <T>(values: readonly T[]) => fc.constantFrom(...values);
const flag = fc.boolean();
const megabytes = fc.integer({ min: 1, max: 2 ** 20 }).map((count) => count * mebibyte);

const nicConfiguration = fc.record({
  name: word,
  on_boot: flag,
  boot_protocol: one(enums.boot_protocol),
  ip: fc.record({
    address: fc.ipV4(),
    netmask: fc.constant('255.255.255.0'),
    gateway: fc.ipV4(),
    version: fc.constant('v4' as const),
  }),
  ipv6_boot_protocol: one(enums.boot_protocol),
  ipv6: fc.record({
    address: fc.ipV6(),
    netmask: fc.integer({ min: 1, max: 128 }).map(String),
    gateway: fc.ipV6(),
    version: fc.constant('v6' as const),
  }),
});

const vm = fc.record({
  name: word,
  description: text,
  comment: text,
  delete_protected: flag,
  sso: one([{ methods: [{ id: 'guest_agent' as const }] }, { methods: [] }]),
  io: fc.record({ threads: fc.integer({ min: 0, max: 127 }) }),
  time_zone: fc.record({ name: word }),
  os: fc.record({
    type: one(systems),
    boot: fc.record({ devices: fc.shuffledSubarray([...enums.boot_device], { minLength: 1 }) }),
  }),
  type: one(enums.vm_type),
  storage_error_resume_behaviour: one(enums.vm_storage_error_resume_behaviour),
  memory: megabytes,
  memory_policy: fc.record({ guaranteed: megabytes, max: megabytes, ballooning: flag }),
  cpu: fc.record({
    topology: fc.record({
      sockets: fc.integer({ min: 1, max: 16 }),
      cores: fc.integer({ min: 1, max: 16 }),
      threads: fc.integer({ min: 1, max: 8 }),
    }),
  }),
  stateless: flag,
  start_paused: flag,
  high_availability: fc.record({ enabled: flag, priority: fc.integer({ min: 0, max: 100 }) }),
  migration_downtime: fc.integer({ min: -1, max: 10_000 }),
  placement_policy: fc.record({ affinity: one(enums.vm_affinity) }),
  serial_number: fc.record({ policy: one(enums.serial_number_policy), value: word }),
  bios: fc.record({
    type: one(enums.bios_type.slice(1)),
    boot_menu: fc.record({ enabled: flag }),
  }),
  display: fc.record({
    smartcard_enabled: flag,
    file_transfer_enabled: flag,
    copy_paste_enabled: flag,
    allow_override: flag,
    disconnect_action: word,
    monitors: one([1, 2, 4]),
    single_qxl_pci: flag,
    keyboard_layout: word,
  }),
  custom_properties: fc.array(fc.record({ name: word, value: word }), {
    minLength: 1,
    maxLength: 3,
  }),
  multi_queues_enabled: flag,
  virtio_scsi_multi_queues_enabled: flag,
  cpu_pinning_policy: one(enums.cpu_pinning_policy),
  origin: one(['rhev', 'vmware', 'kvm', 'external'] as const),
  usb: fc.record({ enabled: flag }),
  rng_device: fc.record({ source: one(enums.rng_source) }),
  virtio_scsi: fc.record({ enabled: flag }),
  soundcard_enabled: flag,
  console: fc.record({ enabled: flag }),
  tpm_enabled: flag,
  initialization: fc.record({
    host_name: word,
    custom_script: text.filter((one) => one !== ''),
    nic_configurations: fc.array(nicConfiguration, { minLength: 1, maxLength: 3 }),
  }),
});

const disk = fc.record({
  id: fc.uuid(),
  imageId: fc.uuid(),
  provisionedSize: fc.integer({ min: 1, max: 1_000 }).map((count) => count * gibibyte),
  actualSize: fc.integer({ min: 0, max: 1_000 }).map((count) => count * gibibyte),
  format: one(['raw', 'cow'] as const),
  sparse: flag,
  alias: word,
  description: word,
  shareable: flag,
  wipeAfterDelete: flag,
  incrementalBackup: flag,
  attachment: fc.record({
    interface: one(enums.disk_interface),
    bootable: flag,
    read_only: flag,
    pass_discard: flag,
    uses_scsi_reservation: fc.constant(false),
    active: flag,
  }),
});

const nic = fc.record({
  id: fc.uuid(),
  name: word,
  interface: one(enums.nic_interface),
  mac: fc.constant('56:6f:1a:00:00:07'),
  linked: flag,
  plugged: flag,
  network: word,
  profile: word,
});

const machine: fc.Arbitrary<OvfMachine> = fc.record({
  id: fc.uuid(),
  vm,
  disks: fc.uniqueArray(disk, { maxLength: 3, selector: ({ id }) => id }),
  nics: fc.array(nic, { maxLength: 3 }),
  consoles: fc.shuffledSubarray([...enums.graphics_type]),
  watchdog: fc.record({ model: one(enums.watchdog_model), action: one(enums.watchdog_action) }),
  snapshots: fc.constant([]),
});

function written(given: OvfMachine, layout: LayoutName): string {
  const system = operatingSystems.find(([, known]) => known === given.vm.os?.type);
  let id = 0;
  return writeOvf(
    given,
    { version: '4.5.0.0', isTemplate: false, clusterName: 'lab' },
    { number: system?.[0], label: system?.[2] ?? '' },
    layout,
    () => {
      id += 1;
      return `00000000-0000-0000-0000-${String(id).padStart(12, '0')}`;
    },
  );
}

describe('a document', () => {
  it.each(['ovf', 'ova'] as const)('in the layout %s contains the complete VM', (layout) => {
    fc.assert(
      fc.property(machine, (given) => {
        const read = readOvf(written(given, layout));
        const { disks, ...rest } = read;
        const { disks: expected, ...others } = given;
        expect(rest).toEqual({ ...others, vm: { ...others.vm, name: others.vm.name } });
        expect(disks.map(({ fileFormat: _f, file: _a, ...one }) => one)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it('has the parts that readers expect', () => {
    const [given] = fc.sample(machine, { numRuns: 1, seed: 7 });
    const one = { ...fc.sample(disk, 1)[0], snapshotId: 'b'.repeat(8) } as OvfMachine['disks'][0];
    const document = written({ ...(given as OvfMachine), disks: [one] }, 'ovf');
    const [, element = ''] = /<Disk ([^>]*)\/>/.exec(document) ?? [];
    const names = [...element.matchAll(/ovf:([\w-]+)=/g)].map(([, name]) => name);
    for (const name of [
      ...['diskId', 'size', 'actual_size', 'vm_snapshot_id', 'parentRef', 'fileRef', 'format'],
      ...['volume-format', 'volume-type', 'disk-interface', 'boot', 'disk-alias'],
      ...['disk-description', 'wipe-after-delete', 'read-only', 'shareable', 'pass-discard'],
    ]) {
      expect(names).toContain(name);
    }
  });
});

describe('numbers', () => {
  it('of boot orders are those of deployed services', () => {
    expect(bootNumber(['hd'])).toBe('0');
    expect(bootNumber(['cdrom', 'hd'])).toBe('1');
    expect(bootNumber(['network'])).toBe('2');
    expect(bootOrder('10')).toEqual(['cdrom']);
    expect(bootOrder('15')).toBeUndefined();
  });
  it('of operating systems map to existing systems', () => {
    for (const system of systems) expect(systems).toContain(findCimSystem(cimNumber(system)));
    expect(findCimSystem('105')).toBe('windows_7');
    expect(findCimSystem('94')).toBe('other_linux');
    expect(cimNumber('rhel_9x64')).toBe('80');
    expect(cimNumber('windows_2016x64')).toBe('117');
  });
});

/** Documents of other programs: different prefixes, fractional sizes, units, no devices. */
const foreign = {
  converter: `<?xml version='1.0' encoding='utf-8'?>
<!-- made by a converter -->
<ovf:Envelope xmlns:ovf='http://schemas.dmtf.org/ovf/envelope/1/' xmlns:rasd='http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_ResourceAllocationSettingData' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' ovf:version='0.9'>
  <!-- references -->
  <References><File ovf:href='d1d1d1d1-1111-4111-8111-111111111111/e1e1e1e1-1111-4111-8111-111111111111' ovf:id='e1e1e1e1-1111-4111-8111-111111111111' ovf:size='6442450944' ovf:description='x'/></References>
  <Section xsi:type='ovf:NetworkSection_Type'><Info>List of networks</Info></Section>
  <Section xsi:type='ovf:DiskSection_Type'><Info>List of Virtual Disks</Info>
    <Disk ovf:diskId='e1e1e1e1-1111-4111-8111-111111111111' ovf:size='6.0' ovf:fileRef='d1d1d1d1-1111-4111-8111-111111111111/e1e1e1e1-1111-4111-8111-111111111111' ovf:parentRef='' ovf:vm_snapshot_id='f1f1f1f1-1111-4111-8111-111111111111' ovf:volume-format='RAW' ovf:volume-type='SPARSE' ovf:format='http://en.wikipedia.org/wiki/Byte' ovf:disk-interface='VirtIO' ovf:disk-type='System' ovf:boot='True'/>
  </Section>
  <Content ovf:id='out' xsi:type='ovf:VirtualSystem_Type'>
    <Name>guest</Name><TemplateId>00000000-0000-0000-0000-000000000000</TemplateId><TemplateName>Blank</TemplateName>
    <Description>converted</Description><CreationDate>2024/05/01 10:00:00</CreationDate>
    <IsInitilized>True</IsInitilized><IsAutoSuspend>False</IsAutoSuspend><TimeZone/><IsStateless>False</IsStateless>
    <VmType>1</VmType><DefaultDisplayType>1</DefaultDisplayType><Origin>3</Origin>
    <Section ovf:id='a1a1a1a1-1111-4111-8111-111111111111' ovf:required='false' xsi:type='ovf:OperatingSystemSection_Type'><Info>Guest Operating System</Info><Description>RHEL9</Description></Section>
    <Section xsi:type='ovf:VirtualHardwareSection_Type'><Info>2 CPU, 2048 Memory</Info>
      <Item><rasd:InstanceId>1</rasd:InstanceId><rasd:Caption>2 virtual cpu</rasd:Caption><rasd:ResourceType>3</rasd:ResourceType><rasd:num_of_sockets>2</rasd:num_of_sockets><rasd:cpu_per_socket>1</rasd:cpu_per_socket></Item>
      <Item><rasd:InstanceId>2</rasd:InstanceId><rasd:ResourceType>4</rasd:ResourceType><rasd:AllocationUnits>MegaBytes</rasd:AllocationUnits><rasd:VirtualQuantity>2048</rasd:VirtualQuantity></Item>
      <Item><rasd:InstanceId>b1b1b1b1-1111-4111-8111-111111111111</rasd:InstanceId><rasd:ResourceType>10</rasd:ResourceType><rasd:ResourceSubType>3</rasd:ResourceSubType><rasd:Connection>ovirtmgmt</rasd:Connection><rasd:Name>eth0</rasd:Name><rasd:MACAddress>52:54:00:AB:cd:ef</rasd:MACAddress></Item>
      <Item><rasd:ResourceType>20</rasd:ResourceType><Type>video</Type><rasd:VirtualQuantity>1</rasd:VirtualQuantity><rasd:Device>qxl</rasd:Device></Item>
    </Section>
  </Content>
</ovf:Envelope>`,
  appliance: `<?xml version="1.0" encoding="UTF-8"?>\n<Envelope vmw:buildId="build-1" xmlns="http://schemas.dmtf.org/ovf/envelope/1" xmlns:cim="http://schemas.dmtf.org/wbem/wscim/1/common" xmlns:o="http://schemas.dmtf.org/ovf/envelope/1" xmlns:rasd="http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_ResourceAllocationSettingData" xmlns:vmw="http://www.vmware.com/schema/ovf">\n  <References><File o:href="appliance-disk1.vmdk" o:id="file1" o:size="68608"/></References>\n  <DiskSection><Info>Virtual disk information</Info>\n    <Disk o:capacity="16" o:capacityAllocationUnits="byte * 2^30" o:diskId="vmdisk1" o:fileRef="file1" o:format="http://www.vmware.com/interfaces/specifications/vmdk.html#streamOptimized" o:populatedSize="0"/>\n  </DiskSection>\n  <NetworkSection><Info>The list of logical networks</Info><Network o:name="VM Network"><Description>d</Description></Network></NetworkSection>\n  <VirtualSystem o:id="appliance"><Info>A VM</Info><Name>appliance</Name>\n    <OperatingSystemSection o:id="94" vmw:osType="ubuntu64Guest"><Info>The kind of installed guest operating system</Info></OperatingSystemSection>\n    <AnnotationSection><Info>An annotation</Info><Annotation>To be tried</Annotation></AnnotationSection>\n    <VirtualHardwareSection><Info>Virtual hardware requirements</Info>\n      <Item><rasd:AllocationUnits>hertz * 10^6</rasd:AllocationUnits><rasd:ElementName>4 virtual CPU(s)</rasd:ElementName><rasd:InstanceID>1</rasd:InstanceID><rasd:ResourceType>3</rasd:ResourceType><rasd:VirtualQuantity>4</rasd:VirtualQuantity><vmw:CoresPerSocket o:required="false">2</vmw:CoresPerSocket></Item>\n      <Item><rasd:AllocationUnits>byte * 2^20</rasd:AllocationUnits><rasd:InstanceID>2</rasd:InstanceID><rasd:ResourceType>4</rasd:ResourceType><rasd:VirtualQuantity>4096</rasd:VirtualQuantity></Item>\n      <Item><rasd:AddressOnParent>7</rasd:AddressOnParent><rasd:Connection>VM Network</rasd:Connection><rasd:ElementName>Network adapter 1</rasd:ElementName><rasd:InstanceID>9</rasd:InstanceID><rasd:ResourceSubType>E1000e</rasd:ResourceSubType><rasd:ResourceType>10</rasd:ResourceType></Item>\n      <Item><rasd:AddressOnParent>0</rasd:AddressOnParent><rasd:ElementName>Hard disk 1</rasd:ElementName><rasd:HostResource>ovf:/disk/vmdisk1</rasd:HostResource><rasd:InstanceID>8</rasd:InstanceID><rasd:Parent>3</rasd:Parent><rasd:ResourceType>17</rasd:ResourceType></Item>\n    </VirtualHardwareSection>\n  </VirtualSystem>\n</Envelope>`,
};

describe('a foreign document', () => {
  it('of a converter is readable', () => {
    expect(readOvf(foreign.converter)).toMatchObject({
      id: 'a1a1a1a1-1111-4111-8111-111111111111',
      vm: {
        name: 'guest',
        description: 'converted',
        type: 'server',
        stateless: false,
        os: { type: 'other' },
        memory: 2 * gibibyte,
        cpu: { topology: { sockets: 2, cores: 1, threads: 1 } },
      },
      disks: [
        {
          id: 'd1d1d1d1-1111-4111-8111-111111111111',
          imageId: 'e1e1e1e1-1111-4111-8111-111111111111',
          provisionedSize: 6 * gibibyte,
          format: 'raw',
          sparse: true,
          attachment: { interface: 'virtio', bootable: true, active: true },
        },
      ],
      nics: [{ name: 'eth0', interface: 'virtio', mac: '52:54:00:ab:cd:ef', network: 'ovirtmgmt' }],
    });
  });

  it('of another platform is readable', () => {
    expect(readOvf(foreign.appliance)).toMatchObject({
      vm: {
        name: 'appliance',
        description: 'To be tried',
        os: { type: 'other_linux' },
        memory: 4 * gibibyte,
        cpu: { topology: { sockets: 2, cores: 2, threads: 1 } },
      },
      disks: [{ id: 'vmdisk1', file: 'appliance-disk1.vmdk', provisionedSize: 16 * gibibyte }],
      nics: [{ name: 'nic1', interface: 'e1000e', network: 'VM Network' }],
    });
    expect(readOvf(foreign.appliance)).not.toHaveProperty('id');
  });
});

describe('a document with choices', () => {
  const item = (type: number, id: number, quantity: number, attributes = '') =>
    `<Item ${attributes}><rasd:InstanceID>${id}</rasd:InstanceID><rasd:ResourceType>${type}</rasd:ResourceType>` +
    `<rasd:VirtualQuantity>${quantity}</rasd:VirtualQuantity></Item>`;
  const drive = (id: number, disk: string, attributes = '') =>
    `<Item ${attributes}><rasd:InstanceID>${id}</rasd:InstanceID><rasd:ResourceType>17</rasd:ResourceType>` +
    `<rasd:HostResource>ovf:/disk/${disk}</rasd:HostResource></Item>`;
  const choices = (configurations: string, items: string) => `<Envelope
    xmlns="http://schemas.dmtf.org/ovf/envelope/1" xmlns:ovf="http://schemas.dmtf.org/ovf/envelope/1" xmlns:rasd="r">
    <DiskSection>
      <Disk ovf:diskId="s" ovf:capacity="1" ovf:capacityAllocationUnits="byte * 2^30" ovf:populatedSize="-1"/>
      <Disk ovf:diskId="l" ovf:capacity="\${gibibytes}" ovf:capacityAllocationUnits="byte * 2^30"/>
      <Disk ovf:diskId="n" ovf:capacity="3" ovf:capacityAllocationUnits="byte * 2^30"/>
    </DiskSection>
    <DeploymentOptionSection>${configurations}</DeploymentOptionSection>
    <VirtualSystem ovf:id="it">
      <ProductSection><Property ovf:key="gibibytes" ovf:type="int" ovf:value="7"/></ProductSection>
      <VirtualHardwareSection>${items}</VirtualHardwareSection>
    </VirtualSystem></Envelope>`;
  const both = '<Configuration ovf:id="small"/><Configuration ovf:id="large" ovf:default="true"/>';
  const small = 'ovf:configuration="small"';
  const large = 'ovf:configuration="huge large"';
  const items =
    item(3, 1, 4, large) +
    item(3, 1, 1) +
    item(4, 2, 512) +
    item(4, 2, 9, small) +
    drive(8, 's', small) +
    drive(9, 'l', large);

  it('uses the default configuration, and the defaults of properties', () => {
    const { vm, disks } = readOvf(choices(both, items));
    expect(vm).toMatchObject({ memory: 512 * 2 ** 20, cpu: { topology: { sockets: 4 } } });
    // A disk without an item belongs to all configurations.
    const sizes = disks.map(({ id, provisionedSize }) => [id, provisionedSize / gibibyte]);
    expect(sizes).toEqual([
      ['l', 7],
      ['n', 3],
    ]);
  });

  it('uses the first configuration if none is marked', () => {
    const { vm, disks } = readOvf(choices(both.replace(' ovf:default="true"', ''), items));
    expect(vm).toMatchObject({ memory: 9 * 2 ** 20, cpu: { topology: { sockets: 1 } } });
    expect(disks.map(({ id }) => id)).toEqual(['s', 'n']);
    expect(disks[0]).not.toHaveProperty('actualSize');
  });

  it('uses a value within its limits', () => {
    const limits = item(4, 2, 256, 'ovf:bound="min"') + item(4, 2, 4096, 'ovf:bound="max"');
    expect(readOvf(choices('', item(4, 2, 1024) + limits)).vm.memory).toBe(gibibyte);
  });
});

describe('invalid input', () => {
  const small = (content: string) => `<Envelope><Content>${content}</Content></Envelope>`;
  const hardware = (items: string) =>
    small(`<Section xsi:type="ovf:VirtualHardwareSection_Type">${items}</Section>`);
  it.each([
    ['', 'expected an element'],
    ['no document', 'expected an element'],
    ['{"vm": {}}', 'expected an element'],
    ['<html/>', 'its root element is html'],
    ['<Envelope/>', 'neither Content nor VirtualSystem'],
    ['<Envelope><Content>', 'unexpected end of the text inside <Content>'],
    ['<!DOCTYPE x [<!ENTITY e "x">]><Envelope/>', 'document type declarations'],
    ['<Envelope><VirtualSystem/><VirtualSystem/></Envelope>', 'describes 2 VMs'],
    [
      hardware(
        '<Item><ResourceType>4</ResourceType><VirtualQuantity>much</VirtualQuantity></Item>',
      ),
      '"much"',
    ],
    [
      hardware(
        '<Item><ResourceType>4</ResourceType><VirtualQuantity>1</VirtualQuantity><AllocationUnits>apples</AllocationUnits></Item>',
      ),
      'apples',
    ],
    [
      hardware('<Item><ResourceType>3</ResourceType><num_of_sockets>-1</num_of_sockets></Item>'),
      '"-1"',
    ],
    [
      '<Envelope><DiskSection><Disk capacity="1"/></DiskSection><VirtualSystem/></Envelope>',
      'diskId',
    ],
    [
      '<Envelope><DiskSection><Disk diskId="a" capacity="1e99"/></DiskSection><VirtualSystem/></Envelope>',
      '"1e99"',
    ],
  ])('%s is refused', (document, why) => {
    let failure: unknown;
    try {
      readOvf(document);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(OvfError);
    expect(failure).toMatchObject({ message: expect.stringContaining(why) });
  });

  it('of any kind is an error or a VM, without other failures', () => {
    const bytes = foreign.converter;
    fc.assert(
      fc.property(
        fc.nat(bytes.length - 1),
        fc.nat(40),
        fc.string({ maxLength: 8 }),
        (at, length, by) => {
          try {
            readOvf(bytes.slice(0, at) + by + bytes.slice(at + length));
          } catch (error) {
            expect(error).toBeInstanceOf(OvfError);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('network settings of the first start', () => {
  it.each([
    ['invalid JSON', 'eth0'],
    ['another value', '{"a":1}'],
    ['an empty list', '[]'],
  ])('are omitted if a document has %s', (_, text) => {
    expect(networksIn(text)).toBeUndefined();
  });

  it('are read with and without class names', () => {
    const plain = JSON.stringify([{ name: 'eth0', bootProtocol: 'DHCP', startOnBoot: true }]);
    const eth0 = { name: 'eth0', boot_protocol: 'dhcp', ipv6_boot_protocol: 'none', on_boot: true };
    expect(networksIn(plain)).toEqual([eth0]);
    expect(networksIn(networksText([{ name: 'eth0' }]) ?? '')).toEqual([
      { name: 'eth0', boot_protocol: 'none', ipv6_boot_protocol: 'none' },
    ]);
  });
});

it('maps former names of systems, and NIC models of other platforms', () => {
  const envelope = (system: string, nic: string) =>
    `<ovf:Envelope xmlns:ovf="o" xmlns:rasd="r" xmlns:xsi="x"><Content xsi:type="ovf:VirtualSystem_Type"><Name>a</Name><Section xsi:type="ovf:OperatingSystemSection_Type"><Description>${system}</Description></Section><Section xsi:type="ovf:VirtualHardwareSection_Type"><Item><rasd:ResourceType>10</rasd:ResourceType><rasd:ResourceSubType>${nic}</rasd:ResourceSubType></Item></Section></Content></ovf:Envelope>`;
  const cases = [
    ['Windows7x64', 'windows_7x64', 'E1000', 'e1000'],
    ['RHEL6x64', 'rhel_6x64', 'E1000e', 'e1000e'],
    ['OtherLinux', 'other_linux', 'PCNet32', 'rtl8139'],
    ['windows_2012R2x64', 'windows_2012R2x64', 'VmxNet3', 'virtio'],
    ['Solaris', 'other', '3', 'virtio'],
  ] as const;
  for (const [former, system, model, nic] of cases) {
    const { vm, nics } = readOvf(envelope(former, model));
    expect([vm.os?.type, nics[0]?.interface]).toEqual([system, nic]);
  }
});
