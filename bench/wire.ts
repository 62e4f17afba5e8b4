/** Speed of writing and reading a list of 1,000 VMs, per second of CPU time. */
import { dialects } from '../src/model/dialect.ts';
import {
  decodeList,
  decodeObject,
  encodeListChunks,
  encodeObject,
  type MediaType,
} from '../src/wire/index.ts';
import { createRow, type Row } from './report/row.ts';
import { answer, quick, roundsOr } from './support/settings.ts';

const actions = ['start', 'stop', 'shutdown', 'migrate', 'clone', 'suspend', 'detach', 'export'];
const rels = [
  'nics',
  'diskattachments',
  'snapshots',
  'cdroms',
  'tags',
  'permissions',
  'statistics',
];

function vm(number: number): object {
  const id = `6b7a2f0e-59a4-4f0c-8d7b-${String(number).padStart(12, '0')}`;
  const href = `/virt-app/api/vms/${id}`;
  return {
    id,
    href,
    name: `web-${number}`,
    description: 'Front end of the shop & its cache',
    comment: '',
    actions: { link: actions.map((rel) => ({ rel, href: `${href}/${rel}` })) },
    link: rels.map((rel) => ({ rel, href: `${href}/${rel}` })),
    bios: { boot_menu: { enabled: false }, type: 'q35_sea_bios' },
    cpu: { architecture: 'x86_64', topology: { cores: 2, sockets: 1, threads: 1 } },
    creation_time: '2024-05-31T08:30:00.000Z',
    delete_protected: false,
    high_availability: { enabled: true, priority: 1 },
    memory: 8589934592,
    memory_policy: { guaranteed: 8589934592, max: 34359738368, ballooning: true },
    os: { boot: { devices: ['hd', 'network'] }, type: 'rhel_8x64' },
    origin: 'virt-app',
    start_paused: false,
    stateless: false,
    status: 'up',
    type: 'server',
    cluster: { id: '2f6b7a0e-0000-4f0c-8d7b-000000000001', href: '/virt-app/api/clusters/1' },
    host: { id: '3f6b7a0e-0000-4f0c-8d7b-000000000001', href: '/virt-app/api/hosts/1' },
    template: { id: '00000000-0000-0000-0000-000000000000', href: '/virt-app/api/templates/0' },
  };
}

const vms = Array.from({ length: 1000 }, (_, number) => vm(number));

const rounds = roundsOr(5);
/** CPU time of one round in microseconds. */
const span = quick ? 1e4 : 2e5;

/**
 * Repeats the work for some time, several times. Returns a row of the rates for the given bytes.
 */
function measure(name: string, bytes: number, work: () => void): Row {
  for (let i = 0; i < 3; i++) work();
  const rates = Array.from({ length: rounds }, () => {
    const start = process.cpuUsage();
    let times = 0;
    let micros = 0;
    while (micros < span) {
      work();
      times++;
      const { user, system } = process.cpuUsage(start);
      micros = user + system;
    }
    return (times * bytes) / micros;
  });
  return createRow({ name, unit: 'MB/CPU-s', ours: rates, reach: null, direction: 'at least' });
}

const rows: Row[] = [];
for (const media of ['application/xml', 'application/json'] satisfies MediaType[]) {
  const body = [...encodeListChunks(media, vms, 'vm', dialects.standard)].join('');
  const bytes = Buffer.from(body);
  rows.push(
    measure(`write ${media}`, bytes.length, () => {
      for (const chunk of encodeListChunks(media, vms, 'vm', dialects.standard)) Buffer.from(chunk);
    }),
  );
  // Requests have fewer elements than responses.
  const few = Buffer.from(
    [...encodeListChunks(media, vms.slice(0, 100), 'vm', dialects.standard)].join(''),
  );
  rows.push(
    measure(`read ${media}`, few.length, () => {
      decodeList(media, few, 'vm');
    }),
  );
  rows.push(
    measure(`read ${media}, as a client`, bytes.length, () => {
      decodeList(media, bytes, 'vm', { unknown: 'skip' });
    }),
  );
  const one = encodeObject(media, vms[0] ?? {}, 'vm', dialects.standard);
  rows.push(
    measure(`read one ${media}`, one.length * 1000, () => {
      for (let i = 0; i < 1000; i++) decodeObject(media, one, 'vm');
    }),
  );
}
answer(rows);
