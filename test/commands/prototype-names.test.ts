/** Names of parts of a prototype are names that do not exist: wherever a command takes one, it says so. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vmctl } from '../cli/support/run.ts';
import { startTlsServer, type TlsServer } from '../support/tls-server.ts';

let server: TlsServer;
let requests: string[] = [];

beforeAll(async () => {
  server = await startTlsServer(({ method, url }, response) => {
    requests.push(`${method} ${url}`);
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
});
afterAll(() => server.close());

const serve = ['serve', '--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0', '--memory'];

/** Command lines that name something which does not exist. */
const refused: readonly (readonly string[])[] = [
  ['NAME'],
  ['NAME', 'list'],
  ['vms', 'NAME'],
  ['commands', 'NAME'],
  ['completion', 'NAME'],
  ['explain', 'NAME'],
  ['explain', 'vm.NAME'],
  ['explain', 'vms.NAME'],
  ['explain', 'vm.cpu.NAME'],
  ['config', 'set', 'NAME', '1'],
  ['config', 'unset', 'NAME'],
  ['context', 'show', 'NAME'],
  ['context', 'use', 'NAME'],
  ['vms', 'list', '-c', 'NAME'],
  ['vms', 'list', '-o', 'NAME'],
  ['vms', 'list', '--NAME'],
  ['vms', 'list', '--NAME', '1'],
  ['vms', 'list', '--columns', 'NAME'],
  ['vms', 'list', '--columns', 'name,cpu.NAME'],
  ['vms', 'list', '--sort', 'NAME'],
  ['vms', 'list', '--search', 'NAME=1'],
  ['vms', 'list', '--query', '[?NAME('],
  ['vms', 'update', 'a', '--set', 'NAME=1'],
  ['vms', 'update', 'a', '--set', 'cpu.NAME=1'],
  ['vms', 'update', 'a', '--set', 'cpu.NAME.x=1'],
  ['vms', 'update', 'a', '--set-json', 'NAME={}'],
  ['vms', 'update', 'a', '--set-json', 'cpu={"NAME":{}}'],
  ['vms', 'start', 'a', '--set', 'NAME=1'],
  ['vms', 'start', 'a', '--set', 'vm.NAME=1'],
  ['events', 'list', '--tail', '--severity', 'NAME'],
  ['api', 'POST', '/vms', '-F', 'NAME.x=1'],
  ['api', 'POST', '/vms', '-F', 'a.NAME.x=1'],
  [...serve, '--inventory', 'NAME=5'],
  ['serve', '--fault', 'NAME=1'],
  ['serve', '--dialect', 'NAME'],
];

describe.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s', (name) => {
  it.each(refused.map((words) => words.map((word) => word.replace('NAME', name))))(
    'is refused in: %s %s %s %s',
    async (...words) => {
      requests = [];
      const { code, stderr } = await vmctl(words.filter(Boolean), {
        env: { ...server.env, VMCTL_API_PATH: '/virt-app/api' },
      });
      // The one of `api` is an ordinary member to the service, but for that of the prototype itself.
      if (words[0] === 'api' && name !== '__proto__') return;
      expect(code, stderr).toBeGreaterThan(0);
      expect(stderr).not.toMatch(/bug in vmctl|\[object Object\]|native code|undefined/);
      expect(stderr).toContain(name);
      expect(requests.filter((one) => !/^(?:GET|HEAD) /.test(one))).toEqual([]);
    },
  );

  it('has no help page; the list of topics is printed', async () => {
    const { code, stdout, stderr } = await vmctl(['help', name]);
    expect([code, stderr]).toEqual([0, `vmctl: no help for "${name}"\n`]);
    expect(stdout).toMatch(/^ {2}help TOPIC .*scripting/s);
  });
});
