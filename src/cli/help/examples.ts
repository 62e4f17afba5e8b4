/** Example commands for a verb, made from what it needs. */
import { requiredByAction, requiredOnAdd } from '../../model/required.ts';
import { kebab } from '../resources/fields.ts';
import type { VerbFlags } from '../resources/flags.ts';
import { brickVerbs, extraArguments, isReferenceVerb } from '../resources/spellings.ts';
import type { Verb } from '../resources/verbs.ts';

/** Objects as they may be called, by noun. */
const samples: Readonly<Record<string, string>> = {
  vms: 'web01',
  hosts: 'node1',
  clusters: 'Default',
  datacenters: 'Default',
  templates: 'Blank',
  storagedomains: 'data1',
  disks: 'web01_Disk1',
  diskattachments: 'web01_Disk1',
  networks: 'ovirtmgmt',
  nics: 'nic1',
  hostnics: 'eth0',
  vnicprofiles: 'ovirtmgmt',
  users: 'admin@internal',
  groups: 'Everyone',
  roles: 'UserVmManager',
  snapshots: 'before-upgrade',
  glustervolumes: 'vol1',
  affinitygroups: 'apart',
  affinitylabels: 'gold',
  tags: 'production',
  bookmarks: 'running',
  events: '4711',
  clusterlevels: '4.7',
};

/** Values of attributes as they may be given, by flag. */
const values: Readonly<Record<string, string>> = {
  name: 'NAME',
  cluster: 'Default',
  template: 'Blank',
  'data-center': 'Default',
  'storage-domain': 'data1',
  host: 'node1',
  role: 'UserVmManager',
  user: 'admin@internal',
  vm: 'web01',
  network: 'ovirtmgmt',
  'provisioned-size': '20GiB',
  format: 'cow',
  type: 'TYPE',
  description: "'before the upgrade'",
  address: 'node1.example.com',
  severity: 'normal',
  origin: 'backup',
  'custom-id': '1',
  'cpu-type': "'Intel Haswell Family'",
  'fence-type': 'restart',
  value: "'Vms: status=up'",
};

function sampleOf(noun: string): string {
  return samples[noun] ?? 'NAME';
}

/** Up to four examples, the plainest first. */
export function examplesOf(verb: Verb, flags: VerbFlags): readonly string[] {
  const start = `vmctl ${verb.noun} ${verb.name}`;
  const [first] = verb.candidates;
  if (!first) return [];
  const shortest = verb.candidates.reduce((best, one) =>
    one.parents.length < best.parents.length ? one : best,
  );
  const parents = [...(flags.meanings.get(shortest)?.parents ?? [])].map(([key, parent]) => {
    const flag = flags.flags.find((one) => one.key === key);
    return `--${flag?.names[0] ?? key} ${sampleOf(parent.noun)}`;
  });
  const object = objectsOf(verb, shortest.takesObject);
  const plain = [start, ...object, ...parents].join(' ');
  if (verb.kind === 'list' && !verb.isStatistics && !verb.membership) {
    const searches = shortest.operation.query.includes('search');
    return [
      plain,
      ...(searches ? [`${plain} --search 'name=web*' --limit 20`] : []),
      `${plain} -o json`,
    ];
  }
  if (verb.kind === 'get') return [plain, `${plain} -o yaml`];
  if (verb.kind === 'wait') return [`${plain} --for exists`, `${plain} --for gone --timeout 5m`];
  const needed = neededFlags(verb, flags);
  if (verb.kind === 'update') return [`${plain} --description 'a new text'`];
  if (verb.kind === 'add') {
    const full = [start, ...object, ...needed, ...parents].join(' ');
    return isReferenceVerb(verb.noun, verb.name) ? [full] : [full, `${plain} -f new.yaml`];
  }
  return [[start, ...object, ...extrasOf(verb), ...needed, ...parents].join(' ')];
}

function objectsOf(verb: Verb, takesObject: boolean): readonly string[] {
  const name = `${verb.noun} ${verb.name}`;
  const [owner] = verb.candidates.flatMap((candidate) => candidate.owner ?? []);
  const first = owner ? [sampleOf(owner.noun)] : [];
  if (brickVerbs.has(name)) return [...first, 'node1:/bricks/b1'];
  const [place] = verb.candidates;
  const needsObject = takesObject || isReferenceVerb(verb.noun, verb.name);
  if (verb.isStatistics || !needsObject) return first;
  return [...first, sampleOf(place?.collection.noun ?? verb.noun)];
}

function extrasOf(verb: Verb): readonly string[] {
  const extra = extraArguments[`${verb.noun} ${verb.name}`];
  return extra ? [extra.paths.length > 1 ? 'auth.allow=10.0.*' : 'auth.allow'] : [];
}

/** The flags without which the service refuses, where flags can say it. */
function neededFlags(verb: Verb, { flags }: VerbFlags): readonly string[] {
  const [first] = verb.candidates;
  if (!first || isReferenceVerb(verb.noun, verb.name)) return [];
  const { operation } = first;
  const needed =
    verb.kind === 'add' ? requiredOnAdd[operation.type] : requiredByAction[operation.path];
  return (needed ?? []).flatMap((rule) => {
    const path = rule.split('|')[0]?.replace(/\.(id|name)$/, '') ?? '';
    const name = kebab(path).replaceAll('.', '-');
    const flag = flags.find(
      (one) => one.names.includes(name) || one.names.includes(`${name}-file`),
    );
    if (!flag) return [];
    const shown = flag.names[0] ?? name;
    if (flag.value === undefined) return [`--${shown}`];
    return [`--${shown} ${values[shown] ?? flag.value}`];
  });
}
