/** `explain -o json` is a JSON Schema: a validator of others accepts with it what every noun prints. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

async function validator(type: string) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return ajv.compile(await desk.json<object>('explain', type));
}

const nouns = ['vms', 'hosts', 'clusters', 'datacenters', 'storagedomains', 'disks', 'networks'];
const others = ['templates', 'users', 'roles', 'events', 'tags', 'macpools', 'vnicprofiles'];

describe('the schema of the output', () => {
  it.each([...nouns, ...others])('accepts %s', async (noun) => {
    const validate = await validator(noun);
    const items = await desk.json(noun, 'list');
    const bad = items.flatMap((item) => (validate(item) ? [] : (validate.errors ?? [])));
    expect(bad).toEqual([]);
  });

  it('accepts what is followed', async () => {
    const validate = await validator('vm');
    const [vm] = await desk.json('vms', 'list', '--follow', 'nics,diskattachments,host,tags');
    expect(validate(vm), JSON.stringify(validate.errors)).toBe(true);
    expect(Array.isArray(vm?.['nics'])).toBe(true);
  });

  it('refuses what is something else', async () => {
    const validate = await validator('vm');
    expect(validate({ name: 7 })).toBe(false);
    expect(validate({ memory: '2GiB' })).toBe(false);
    expect(validate({ status: 'sideways' })).toBe(false);
    expect(validate({ cpu: { topology: { cores: 'many' } } })).toBe(false);
    expect(validate({ cluster: 'Default' })).toBe(false);
  });

  it('of an attribute is that of its value', async () => {
    const validate = await validator('vm.cpu.topology');
    expect(validate({ cores: 2, sockets: 1, threads: 1 })).toBe(true);
    expect(validate({ cores: 'two' })).toBe(false);
  });
});
