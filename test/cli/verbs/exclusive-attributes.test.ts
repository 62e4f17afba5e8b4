/** Attributes that exclude each other: the command refuses a body with both. */
import { describe, expect, it } from 'vitest';
import { types } from '../../../src/model/derive/types.ts';
import { listAttributes } from '../../../src/model/index.ts';
import { makeHome } from '../../support/command.ts';

/** Command that creates an object of the type. */
const commands: Readonly<Record<string, string>> = {
  permission: 'permissions grant --role UserVmManager --on vms/x',
  image_transfer: 'transfers create --direction download',
};

const pairs = Object.keys(types).flatMap((type) =>
  Object.entries(listAttributes(type)).flatMap(([name, { excludes }]) =>
    excludes === undefined ? [] : [[type, name, excludes] as const],
  ),
);

it('are declared for the types with a command here', () => {
  expect(pairs.map(([type]) => type).sort()).toEqual(Object.keys(commands).sort());
});

describe.each(pairs)('%s: %s and %s', (type, name, other) => {
  it('are attributes that a new object can have', () => {
    for (const one of [name, other]) expect(listAttributes(type)[one]?.mut).toMatch(/C/);
  });

  it('are refused together, before a request', async () => {
    const home = makeHome();
    const sets = [name, other].flatMap((one) => ['--set-json', `${one}={"id":"1"}`]);
    const words = `${commands[type]}`.split(' ');
    // Nothing listens on the port.
    const env = { VMCTL_URL: 'https://127.0.0.1:1', VMCTL_TOKEN: 'x', VMCTL_USERNAME: 'a@b' };
    const { code, stderr } = await home.runHere([...words, ...sets], env);
    home.remove();
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`${name} and ${other} exclude each other`),
    ]);
  });
});
