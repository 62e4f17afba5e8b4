/** Valid texts that fuzz inputs are derived from. */
import { readFileSync } from 'node:fs';

const data = (name: string) => readFileSync(`test/data/${name}`, 'utf8');

/** A document as oVirt stores it on a storage domain. */
const storedOvf = `<?xml version="1.0" encoding="UTF-8"?>
<ovf:Envelope xmlns:ovf="http://schemas.dmtf.org/ovf/envelope/1/" xmlns:rasd="http://schemas.dmtf.org/wbem/wscim/1/cim-schema/2/CIM_ResourceAllocationSettingData" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ovf:version="4.5.0.0">
<References><File ovf:href="d/i" ovf:id="11111111-2222-3333-4444-555555555555" ovf:size="1073741824"/></References>
<Section xsi:type="ovf:DiskSection_Type"><Info>List</Info>
<Disk ovf:diskId="11111111-2222-3333-4444-555555555555" ovf:size="1" ovf:actual_size="1" ovf:fileRef="d/i" ovf:volume-format="COW" ovf:volume-type="Sparse" ovf:disk-interface="VirtIO" ovf:boot="true"/></Section>
<Content ovf:id="out" xsi:type="ovf:VirtualSystem_Type"><Name>web01</Name><Description>a VM</Description>
<CreationDate>2020/03/01 12:30:00</CreationDate><TimeZone>Etc/GMT</TimeZone><BiosType>2</BiosType>
<Section ovf:id="aaaaaaaa-2222-3333-4444-555555555555" ovf:required="false" xsi:type="ovf:OperatingSystemSection_Type"><Description>other_linux</Description></Section>
<Section xsi:type="ovf:VirtualHardwareSection_Type"><Info>2 CPU</Info>
<Item><rasd:InstanceId>1</rasd:InstanceId><rasd:ResourceType>3</rasd:ResourceType><rasd:num_of_sockets>1</rasd:num_of_sockets><rasd:cpu_per_socket>2</rasd:cpu_per_socket></Item>
<Item><rasd:InstanceId>2</rasd:InstanceId><rasd:ResourceType>4</rasd:ResourceType><rasd:AllocationUnits>MegaBytes</rasd:AllocationUnits><rasd:VirtualQuantity>1024</rasd:VirtualQuantity></Item>
<Item><rasd:InstanceId>3</rasd:InstanceId><rasd:ResourceType>10</rasd:ResourceType><rasd:ResourceSubType>3</rasd:ResourceSubType><rasd:Connection>ovirtmgmt</rasd:Connection><rasd:MACAddress>00:1a:4a:16:01:51</rasd:MACAddress><Type>interface</Type><Device>bridge</Device></Item>
<Item><rasd:ResourceType>0</rasd:ResourceType><Type>watchdog</Type><Device>i6300esb</Device><SpecParams><action>reset</action></SpecParams></Item>
</Section><Section xsi:type="ovf:SnapshotsSection_Type"><Snapshot ovf:id="bbbbbbbb-2222-3333-4444-555555555555"><Type>ACTIVE</Type><Description>Active VM</Description></Snapshot></Section>
</Content></ovf:Envelope>`;

export const ovfExamples = [data('appliance.ovf'), storedOvf];

export const jsonExamples = [
  '{"name":"web01","memory":"9223372036854775807","cpu":{"topology":{"cores":2,"sockets":1,"threads":1}},"cluster":{"id":"x"},"delete_protected":true}',
  '{"vm":[{"id":"1","name":"a","tags":{"tag":[{"id":"2"}]}},{"id":"3","custom_properties":{"custom_property":[{"name":"a","value":"b"}]}}]}',
  '{"alias":"d","provisioned_size":1073741824,"format":"cow","storage_domains":{"storage_domain":[{"id":"1"}]},"lun_storage":{"type":"iscsi","logical_units":{"logical_unit":[{"id":"l","port":3260}]}}}',
  '{"async":"false","vm":{"os":{"boot":{"devices":{"device":["hd","network"]}}},"initialization":{"nic_configurations":{"nic_configuration":[{"name":"eth0","boot_protocol":"static","ip":{"address":"10.0.0.1"}}]}}}}',
  '{"fault":{"reason":"Operation Failed","detail":"[x]"}}',
];

export const xmlExamples = [
  '<?xml version="1.0" encoding="UTF-8"?><vm id="1"><name>web01</name><memory>9223372036854775807</memory><cpu><topology><cores>2</cores></topology></cpu><cluster id="x"/><creation_time>2024-05-31T08:30:00.000+02:00</creation_time></vm>',
  '<vms><vm href="/api/vms/1" id="1"><name>a &amp; b</name><link href="/x" rel="disks"/><tags><tag id="2"/></tags></vm></vms>',
  '<disk><alias><![CDATA[a]]></alias><provisioned_size>1073741824</provisioned_size><storage_domains><storage_domain id="1"/></storage_domains><!-- c --></disk>',
  '<action><async>false</async><vm><os><boot><devices><device>hd</device></devices></boot></os></vm></action>',
  '<fault><reason>Operation Failed</reason><detail>[x]</detail></fault>',
];

export const searchExamples = [
  'name=web* and status!=down or cluster.name="a b" sortby name desc page 2',
  'Vms: memory > 4096 and creationdate >= "2024-01-01" and (x)',
  'Events: severity=error and time<Yesterday sortby time asc',
  'disks.alias = a\\*b and vm.name = "x\\"y" page 99999999999999999999',
  'usrname = admin@internal or name = a* or name != *b*',
];

export const definitionExample = `clusters:
  - name: prod
    data_center: Default
    cpu: { type: "Intel", architecture: x86_64 }
networks:
  - &lan { name: lan, vlan: { id: 7 }, data_center: Default }
  - { <<: *lan, name: dmz }
templates:
  - name: base
    vm: web01
vms:
  - name: web01
    cluster: prod
    memory: 4 GiB
    nics: [ { name: nic1, vnic_profile: lan/lan } ]
    disk_attachments:
      - disk: { name: root, provisioned_size: 10 GiB, format: cow, storage_domain: data1 }
        bootable: true
    initialization: { root_password: !secret web }
users:
  - { user_name: kim@internal, password: { secret: kim } }
`;
