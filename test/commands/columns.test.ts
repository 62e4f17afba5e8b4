/** Columns of all nouns: an empty cell means that the object does not have the value. */
import { beforeAll, expect, it } from 'vitest';
import { parseColumns } from '../../src/cli/output/column-selection.ts';
import { defaultColumns, wideColumns } from '../../src/cli/output/columns.ts';
import {
  type Collection,
  listCollections,
  listModelNouns,
} from '../../src/cli/verbs/collections.ts';
import { findOperation, getPlaceholder } from '../../src/cli/verbs/references.ts';
import { listAttributes, listSubCollections, parseKind } from '../../src/model/index.ts';
import { attributeOfCollection } from '../../src/model/list-links.ts';
import { makeRich } from './support/rich-site.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

beforeAll(async () => {
  await makeRich(desk);
  await desk.must('vms', 'update', 'vm-01', '--comment', 'one');
});

/** Collections of the API root, and below `vm-01` and `host1`, whose objects can be listed. */
function places(): readonly { collection: Collection; words: readonly string[] }[] {
  return listModelNouns().flatMap((noun) =>
    listCollections(noun).flatMap((collection) => {
      if (!findOperation(collection.path, 'list')) return [];
      const { parents } = collection;
      if (parents.length === 0) return [{ collection, words: [noun, 'list'] }];
      const [parent] = parents;
      const name = { vms: 'vm-01', hosts: 'host1' }[parent?.noun ?? ''];
      if (parents.length > 1 || name === undefined) return [];
      return [{ collection, words: [noun, 'list', `--${parent?.placeholder ?? ''}`, name] }];
    }),
  );
}

/** Lists of other objects that objects at a place have as collections below them. */
function listed({ type, object }: Collection): readonly { attribute: string; word: string }[] {
  return listSubCollections(object ?? '').flatMap((word) => {
    const attribute = Object.entries(listAttributes(type)).find(
      ([name, { kind }]) =>
        parseKind(kind).form === 'links' &&
        name.replaceAll('_', '') === attributeOfCollection(word),
    )?.[0];
    return attribute === undefined ? [] : [{ attribute, word }];
  });
}

/** Lines of csv as cells; no value of this site has a comma or a quote. */
function rows(csv: string): readonly (readonly string[])[] {
  return csv
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => [line.slice(0, line.indexOf(',')), line.slice(line.indexOf(',') + 1)]);
}

it('shows each list of other objects, and no value for an empty one', async () => {
  const wrong: string[] = [];
  let filled = 0;
  for (const { collection, words } of places()) {
    for (const { attribute, word } of listed(collection)) {
      const read = collection.object && findOperation(`${collection.object}/${word}`, 'list');
      if (!read) continue;
      const args = [...words, '--columns', `id,${attribute}`, '-o', 'csv', '--limit', '3'];
      const { code, stdout, stderr } = await desk.run(args);
      if (code !== 0) {
        // A failure is not an empty cell; it has to say which link the service refused.
        if (!stderr.includes(word) && !stderr.includes(attribute)) wrong.push(`${args}: ${stderr}`);
        continue;
      }
      for (const [id = '', cell] of rows(stdout)) {
        const base = (collection.object ?? '')
          .replace(/^\/(vms|hosts)\/\{\w+\}\/(?=.)/, (_all, noun: string) => `/${noun}/OWNER/`)
          .replace(`{${getPlaceholder(collection)}}`, id);
        if (base.includes('OWNER')) continue;
        const { code: status, stdout: body } = await desk.run(['api', 'GET', `${base}/${word}`]);
        const [list = []] = status === 0 ? Object.values<unknown[]>(JSON.parse(body)) : [];
        const isEmpty = list.length === 0;
        if (!isEmpty) filled += 1;
        if (isEmpty !== (cell === '' || cell === '""')) wrong.push(`${args}: ${base}: ${cell}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(filled).toBeGreaterThan(50);
});

it('accepts the headings of every table as columns, in --columns, --sort and config set', async () => {
  const types = new Set(
    listModelNouns().flatMap((noun) => listCollections(noun).map(({ type }) => type)),
  );
  for (const type of types) {
    for (const column of [...defaultColumns(type), ...wideColumns(type)]) {
      const [found] = parseColumns(column.title.toUpperCase(), { type }, '--columns');
      const isAttribute = Object.hasOwn(listAttributes(type), column.title);
      if (!isAttribute) expect([type, found]).toEqual([type, column]);
    }
  }
  for (const { collection, words } of places()) {
    const titles = defaultColumns(collection.type).map(({ title }) => title.toUpperCase());
    const [first = ''] = titles;
    const { code, stderr } = await desk.run([
      ...words,
      ...['--columns', titles.join(','), '--sort', first],
    ]);
    expect([words, code, stderr]).toEqual([words, code, expect.not.stringMatching(/ has no /)]);
  }
  await desk.must('config', 'set', 'vms.columns', 'NAME,CPUS,IP');
  expect(await desk.must('vms', 'list', '-o', 'csv', '--limit', '1')).toMatch(/^name,cpus,ip\n/);
  await desk.must('config', 'unset', 'vms.columns');
});

const ofVm = Object.entries(listAttributes('vm'))
  .filter(([, { kind, writeOnly }]) => !writeOnly && /^(links|ref) /.test(kind))
  .map(([name, { kind }]) => (kind.startsWith('ref') ? `${name}.name` : name));

it.each(ofVm)('answers of changes show %s as lists do', async (column) => {
  const flags = ['--columns', `name,${column}`, '-o', 'csv'];
  const listed = await desk.run(['vms', 'list', '--search', 'name=vm-01', ...flags]);
  const updated = await desk.run(['vms', 'update', 'vm-01', '--comment', column, ...flags]);
  if (listed.code === 0) expect(updated.stdout).toBe(listed.stdout);
});

it('shows the VMs of a disk that moves, and the disk that an attachment makes', async () => {
  const id = (await desk.must('disks', 'list', '--search', 'name=vm-01_Disk1', '-q')).trim();
  const moved = ['disks', 'move', id, '--storage-domain', 'data2'];
  expect(await desk.must(...moved, '--columns', 'vms.name', '-o', 'csv')).toBe('vms\nvm-01\n');
  const made = ['diskattachments', 'create', '--vm', 'vm-02', '--new-disk-size', '1GiB'];
  const disk = ['--interface', 'virtio', '--set', 'disk.format=cow'];
  const domain = ['--set', 'disk.storage_domains=data1'];
  const columns = ['--columns', 'size,disk.format', '-o', 'csv'];
  expect(await desk.must(...made, ...disk, ...domain, ...columns)).toBe(
    'size,disk.format\n1073741824,cow\n',
  );
});

it('shows the disks of a VM through its attachments', async () => {
  const flags = ['--search', 'name=vm-01', '--columns', 'disks,disks.format', '-o', 'csv'];
  expect(await desk.must('vms', 'list', ...flags)).toBe('disks,disks.format\nvm-01_Disk1,raw\n');
});

it('additional columns leave the cells of -o wide as they are', async () => {
  const columns = (text: string) =>
    text.split('\n').map((line) => line.split(/ {2,}/).slice(0, 9).join(' '));
  const wide = await desk.must('vms', 'list', '-o', 'wide');
  expect(wide).toMatch(/\b10\.0\.0\.\d/);
  const more = await desk.must('vms', 'list', '-o', 'wide', '--columns', '+comment');
  expect(columns(more)).toEqual(columns(wide));
  await desk.must('config', 'set', 'vms.columns', '+comment');
  expect(await desk.must('vms', 'list', '-o', 'wide')).toBe(more);
  await desk.must('config', 'unset', 'vms.columns');
});
