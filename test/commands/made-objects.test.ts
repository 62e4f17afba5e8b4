/** Every operation that makes something prints the new object, waits for it, and never tells its source. */
import { describe, expect, it } from 'vitest';
import { makesByType } from '../../src/model/derive/makes.ts';
import { permitsByType } from '../../src/model/derive/permits.ts';
import { listAllOperations } from '../../src/model/index.ts';
import type { OperationRule } from '../../src/model/notation/resource.ts';
import { allResources } from '../../src/model/resources/index.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

let count = 0;

/** A name that nothing has yet. */
function unique(word: string): string {
  count += 1;
  return `${word}-${count}`;
}

/** The ids of a list, whose words are those behind `vmctl`. */
async function listIds(list: readonly string[]): Promise<ReadonlySet<string>> {
  const [noun = '', ...more] = list;
  const printed = await desk.must(noun, 'list', ...more, '-o', 'id');
  return new Set(printed.split('\n').filter((line) => line !== ''));
}

async function machine(): Promise<string> {
  const name = unique('source');
  await desk.must('vms', 'create', '--name', name, '--cluster', 'Default', '--template', 'Blank');
  return name;
}

async function machineOn(domain: string): Promise<string> {
  const name = await machine();
  await desk.must(
    ...['diskattachments', 'create', '--vm', name, '--bootable', '--interface', 'virtio'],
    ...['--new-disk-size', '1GiB', '--new-disk-format', 'cow', '--new-disk-name', `${name}-disk`],
    ...['--new-disk-storagedomain', domain],
  );
  return name;
}

async function template(vm: string): Promise<string> {
  const name = unique('template');
  await desk.must('templates', 'create', '--name', name, '--vm', vm);
  return name;
}

async function disk(): Promise<string> {
  const name = unique('disk');
  await desk.must(
    ...['disks', 'create', '--name', name, '--provisioned-size', '1GiB', '--format', 'cow'],
    ...['--storagedomain', 'data1'],
  );
  return name;
}

async function domain(type: 'data' | 'export'): Promise<string> {
  const name = unique(type);
  await desk.must(
    ...['storagedomains', 'create', '--name', name, '--type', type, '--storage-type', 'nfs'],
    ...['--address', 'filer', '--path', `/${name}`, '--host', 'host1'],
    ...['--attach', 'Default', '--activate'],
  );
  return name;
}

let shared: Promise<string> | undefined;

/** A data center has at most one export domain. */
function exportDomain(): Promise<string> {
  shared ??= domain('export');
  return shared;
}

/** Data domain with contents, attached again. */
async function returned(fill: (domain: string) => Promise<unknown>): Promise<string> {
  const name = await domain('data');
  await fill(name);
  await desk.must('storagedomains', 'deactivate', name, '--datacenter', 'Default');
  await desk.must('storagedomains', 'detach', name, '--datacenter', 'Default');
  await desk.must('storagedomains', 'attach', name, '--datacenter', 'Default');
  return name;
}

/** How an operation is called, and the list in which what it makes is found. */
interface Recipe {
  readonly words: readonly string[];
  readonly list: readonly string[];
}

const target = ['--cluster', 'Default', '--to', 'data1'];
const image = "'CirrOS 0.6.2 for x86_64'".replaceAll("'", '');

/** By type and operation; the second word tells several ways apart. */
const recipes: Readonly<Record<string, () => Promise<Recipe>>> = {
  'vm.clone': async () => {
    const vm = await machineOn('data1');
    return { words: ['vms', 'clone', vm, '--name', unique('copy')], list: ['vms'] };
  },
  'vm.export': async () => {
    const [vm, to] = [await machineOn('data1'), await exportDomain()];
    return {
      words: ['vms', 'export', vm, '--storage-domain', to],
      list: ['vms', '--storagedomain', to],
    };
  },
  'vm.import with new ids': async () => {
    const [vm, from] = [await machineOn('data1'), await exportDomain()];
    await desk.must('vms', 'export', vm, '--storage-domain', from);
    const name = `vm.name=${unique('import')}`;
    const words = ['vms', 'import', vm, '--storagedomain', from, ...target];
    return { words: [...words, '--clone', '--set', name], list: ['vms'] };
  },
  'vm.import with the ids that it had': async () => {
    const [vm, from] = [await machineOn('data1'), await exportDomain()];
    await desk.must('vms', 'export', vm, '--storage-domain', from);
    await desk.must('vms', 'delete', vm);
    return { words: ['vms', 'import', vm, '--storagedomain', from, ...target], list: ['vms'] };
  },
  'vm.register': async () => {
    let vm = '';
    const from = await returned(async (name) => {
      vm = await machineOn(name);
    });
    const words = ['vms', 'register', vm, '--storagedomain', from, '--cluster', 'Default'];
    return { words, list: ['vms'] };
  },
  'template.export': async () => {
    const [one, to] = [await template(await machineOn('data1')), await exportDomain()];
    return {
      words: ['templates', 'export', one, '--storage-domain', to],
      list: ['templates', '--storagedomain', to],
    };
  },
  'template.import': async () => {
    const [one, from] = [await template(await machineOn('data1')), await exportDomain()];
    await desk.must('templates', 'export', one, '--storage-domain', from);
    const words = ['templates', 'import', one, '--storagedomain', from, ...target];
    const name = `template.name=${unique('import')}`;
    return { words: [...words, '--clone', '--set', name], list: ['templates'] };
  },
  'template.register': async () => {
    let one = '';
    const from = await returned(async (name) => {
      one = await template(await machineOn(name));
    });
    const words = ['templates', 'register', one, '--storagedomain', from, '--cluster', 'Default'];
    return { words, list: ['templates'] };
  },
  'disk.copy': async () => ({
    words: ['disks', 'copy', await disk(), '--storage-domain', 'data2'],
    list: ['disks'],
  }),
  'disk.copy under another name': async () => ({
    words: ['disks', 'copy', await disk(), '--storage-domain', 'data2', '--name', unique('copy')],
    list: ['disks'],
  }),
  'disk.export': async () => ({
    words: ['disks', 'export', await disk(), '--storage-domain', 'repository'],
    list: ['images', '--storagedomain', 'repository'],
  }),
  'disk.register': async () => {
    let vm = '';
    const from = await returned(async (name) => {
      vm = await machineOn(name);
    });
    const place = ['--datacenter', 'Default', '--storagedomain', from];
    return { words: ['disks', 'register', `${vm}-disk`, ...place], list: ['disks'] };
  },
  'image.import': async () => ({
    words: ['images', 'import', image, '--storagedomain', 'repository', '--to', 'data1'],
    list: ['disks'],
  }),
  'image.import as template': async () => ({
    words: [
      ...['images', 'import', image, '--storagedomain', 'repository', ...target],
      ...['--import-as-template', '--set', `template.name=${unique('image')}`],
    ],
    list: ['templates'],
  }),
  'openstack_image.import': async () => ({
    words: ['images', 'import', image, '--openstackimageprovider', 'repository', '--to', 'data1'],
    list: ['disks'],
  }),
  'openstack_network.import': async () => {
    const provider = unique('provider');
    await desk.must(
      ...['openstacknetworkproviders', 'create', '--name', provider],
      ...['--url', 'https://networks.example.com:9696', '--type', 'neutron'],
    );
    const nouns = ['--openstacknetworkprovider', provider];
    const [first] = await desk.json('networks', 'list', ...nouns);
    const name = String(first?.['name']);
    const words = ['networks', 'import', name, ...nouns, '--data-center', 'Default'];
    return { words, list: ['networks'] };
  },
  'external_vm_import.add': async () => {
    const name = unique('import');
    const words = ['imports', 'create', '--provider', 'vmware', '--url', 'vpx://a/b'];
    const where = ['--cluster', 'Default', '--storage-domain', 'data1'];
    return { words: [...words, '--vm', name, '--name', name, ...where], list: ['vms'] };
  },
  'external_template_import.add': async () => {
    const file = `${unique('file')}.ova`;
    const one = await template('vm-02');
    const host = ['--host', 'host1'];
    await desk.must(
      ...['templates', 'export', one, ...host, '--directory', '/tmp', '--filename', file],
    );
    const name = `template.name=${unique('import')}`;
    const words = ['externaltemplateimports', 'create', '--url', `ova:///tmp/${file}`, ...host];
    const where = ['--cluster', 'Default', '--storage-domain', 'data1', '--set', name];
    return { words: [...words, ...where], list: ['templates'] };
  },
};

/** Permits to make what an action can make; hosts and data centers are only added. */
const making = /^(create_(vm|template|disk|storage_pool_network)|import_export_vm)$/;

const makers = Object.entries(makesByType).flatMap(([type, operations]) =>
  Object.keys(operations).map((name) => `${type}.${name}`),
);

describe('the model', () => {
  it('says of every operation that needs the permit to make something what it makes', () => {
    const rules = new Map(
      allResources.map(({ name, operations }) => [
        name as string,
        (operations ?? {}) as Readonly<Record<string, OperationRule>>,
      ]),
    );
    const silent = listAllOperations().filter(({ type, name, isAction }) => {
      // A transfer needs an existing disk: its actions require the permit of the transfer itself.
      if (!isAction || type === 'image_transfer') return false;
      const permits = permitsByType[type]?.[name] ?? [];
      return permits.some(({ permit }) => making.test(permit)) && !rules.get(type)?.[name]?.makes;
    });
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it('makes nothing that is not tried here', () => {
    const tried = new Set(Object.keys(recipes).map((key) => key.split(' ')[0]));
    expect([...tried].sort()).toEqual([...makers].sort());
  });
});

describe('the id of the new object is printed by', () => {
  it.each(Object.keys(recipes))('%s', async (key) => {
    const { words, list } = await (recipes[key] as () => Promise<Recipe>)();
    const before = await listIds(list);
    const printed = (await desk.must(...words, '-q')).trim();
    const after = await listIds(list);
    expect([...after].filter((id) => !before.has(id))).toEqual([printed]);
  });
});

describe('vms clone', () => {
  it('tells of the copy in every format, and has waited for it', async () => {
    const source = await machineOn('data1');
    const shapes: Readonly<Record<string, (name: string) => RegExp>> = {
      json: (name) => new RegExp(`^\\{(?=[^]*"status": "down")[^]*"name": "${name}"`),
      jsonl: (name) => new RegExp(`^\\{(?=.*"status":"down").*"name":"${name}"`),
      yaml: (name) => new RegExp(`^(?=[^]*^status: down$)[^]*^name: ${name}$`, 'm'),
      csv: (name) => new RegExp(`^name,status.*\\n${name},down`),
      tsv: (name) => new RegExp(`^name\tstatus.*\\n${name}\tdown`),
      name: (name) => new RegExp(`^vms/${name}\\n$`),
      table: (name) => new RegExp(`^NAME +STATUS.*\\n${name} +down`),
      xml: (name) => new RegExp(`<name>${name}</name>`),
    };
    for (const [format, shape] of Object.entries(shapes)) {
      const name = unique('copy');
      const printed = await desk.must('vms', 'clone', source, '--name', name, '-o', format);
      expect(printed, format).toMatch(shape(name));
      expect(printed, format).not.toContain(`${source}\n`);
    }
  });

  it('prints the name of the copy without a wait', async () => {
    const [source, name] = [await machineOn('data1'), unique('copy')];
    const words = ['vms', 'clone', source, '--name', name, '--no-wait', '-o', 'name'];
    const { code, stdout, stderr } = await desk.run(words);
    expect([code, stdout]).toEqual([0, `vms/${name}\n`]);
    expect(stderr).toContain(`to wait: vmctl wait vms/${name} --for`);
  });
});

describe('disks copy', () => {
  it('tells the copies of several disks with one name apart', async () => {
    const words = ['disks', 'copy', await disk(), await disk(), '--storage-domain', 'data2'];
    const before = await listIds(['disks']);
    const printed = (await desk.must(...words, '--name', unique('copy'), '-q')).trim().split('\n');
    const made = [...(await listIds(['disks']))].filter((id) => !before.has(id));
    expect(printed.sort()).toEqual(made.sort());
  });

  it('of a template prints no id: the disk is at two places then, and no other', async () => {
    const one = await template(await machineOn('data1'));
    const [attachment] = await desk.json('diskattachments', 'list', '--template', one);
    const words = ['disks', 'copy', String(attachment?.['id']), '--storage-domain', 'data2', '-q'];
    const { code, stdout, stderr } = await desk.run(words);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain(': done, but the new disk cannot be identified');
  });
});
