/**
 * Service with all objects of the examples: test/data/examples.yaml, and commands that complete it.
 * Its state can be restored, so that each example starts with the same state.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { domainId, otherId, sampleId } from '../../src/model/notation/commands.ts';
import { builtVmctl, type Result } from '../support/in-process.ts';
import { RawApi, send } from '../support/raw.ts';
import { startServerProcess, startTestServer, type TestServer } from '../support/server.ts';

export const inventory = fileURLToPath(new URL('../data/examples.yaml', import.meta.url));

/** Commands for states that an inventory cannot express. */
const preparations: readonly string[] = [
  'wait disks/web01_Disk1',
  'vms start web01',
  'templates create --name debian12 --vm build',
  'templates create --name old --vm build',
  'vmpools create --name desktops --cluster Default --template debian12 --size 2',
  'glustervolumes create --cluster Default --name vol1 --volume-type distribute --bricks node1:/bricks/b1,node3:/bricks/b1',
  'networklabels create --network frontend --label blue',
  'vnicprofiles create --name guests --network frontend',
  'cpuprofiles create --name slow --cluster Default',
  'diskprofiles create --name slow --storage-domain data1',
  'balances create --policy quiet --scheduling-policy-unit OptimalForEvenDistribution',
  'filters create --policy quiet --scheduling-policy-unit Memory',
  'weights create --policy quiet --scheduling-policy-unit PreferredHosts',
  'jobs create --description Backup',
  'steps create --job Backup --type executing --description Copy',
  'eventsubscriptions create --user jane@internal --event host_high_cpu_use --notification-method smtp --address jane@example.com',
  'options create --user jane@internal --name webAdmin.theme --content dark',
];

/** Commands that print the id of an object without a name: it gets the one of the examples. */
const nameless: readonly string[] = [
  'sshpublickeys create --user jane@internal --content "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkV jane"',
  'authenticationkeys create --provider cinder --uuid 5a0c7d1e-8f42-4b6d-a0c9-1f3e5d7b9a23 --value c2VjcmV0',
  'storageconnections create --type nfs --address filer.example.com --path /exports/old',
  'permissions list --user jane@internal',
  'watchdogs list --vm web01',
  'fenceagents list --host node1',
  'storageconnectionextensions list --host node1',
  'numanodes list --vm web01',
  'mediateddevices list --vm web01',
  'quotaclusterlimits list --data-center Default --quota web',
  'quotastoragelimits list --data-center Default --quota web',
  'icons list',
  'networkattachments create --host node1 --network frontend --host-nic eth1',
  'imagetransfers create --disk web02_Disk1 --direction upload',
];

/** Ids from which the service derives others: names and ids of objects on hosts and providers. */
const fixed: readonly (readonly [line: string, id: string])[] = [
  ['storagedomains get data1', domainId],
  ['hosts get node1', '0f6d1c55-3d0c-4b61-8f0e-6a6f3b0f4c11'],
  ['externalhostproviders get foreman', '2c9e0f7a-41d8-4b35-96e2-d7a10b5c8f43'],
  [
    'storageconnections create --type iscsi --address filer.example.com --port 3260 --target iqn.2015-01.com.example:filer:1',
    otherId,
  ],
];

export interface ExamplesSite {
  readonly server: TestServer;
  /** Folder for files of examples. */
  readonly folder: string;
  /** Environment of a signed-in user. */
  readonly env: Readonly<Record<string, string>>;
  readonly admin: RawApi;
  /** Runs a command line from the documentation. */
  run(line: string, stdin?: string): Promise<Result>;
  /** Runs it, and throws unless it succeeds. */
  must(line: string): Promise<string>;
  /** The object whose id the command prints gets the id that examples call it by. */
  adopt(line: string): Promise<void>;
  /** Restores the initial state. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

/** Splits a line into words like a shell. */
export function splitWords(line: string): string[] {
  const words = line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g);
  return [...words].map(([word]) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

/**
 * Starts and prepares the service: in this process, or in a separate process for further options.
 */
export async function startExamplesSite(options: readonly string[] = []): Promise<ExamplesSite> {
  const start = options.length === 0 ? startTestServer : startServerProcess;
  const server = await start(['--speed', '0', '--inventory', inventory, ...options]);
  const admin = await RawApi.signIn(server);
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-examples-'));
  writeFileSync(join(folder, 'site.yaml'), 'tags: [{ name: production }, { name: web }]\n');
  writeFileSync(join(folder, 'password.txt'), 'not-a-secret\n', { mode: 0o600 });
  const content = readFileSync(server.ready.ca_file, 'utf8');
  writeFileSync(join(folder, 'certificates.yaml'), JSON.stringify({ certificates: [{ content }] }));
  const env = {
    HOME: folder,
    EDITOR: 'true',
    VMCTL_URL: server.ready.base_url,
    VMCTL_USERNAME: server.ready.username,
    VMCTL_TOKEN: admin.token,
    VMCTL_CA_FILE: server.ready.ca_file,
  };
  const run = (line: string, stdin?: string) =>
    builtVmctl(splitWords(line).slice(line.startsWith('vmctl ') ? 1 : 0), {
      env,
      ...(stdin === undefined ? {} : { stdin }),
    });
  const must = async (line: string) => {
    const { code, stdout, stderr } = await run(line);
    if (code !== 0) throw new Error(`${line}: ${stderr}`);
    return stdout;
  };
  const state = async (method: string, body?: string) => {
    const answer = await send(`${new URL(server.ready.base_url).origin}/_vmctl/state`, {
      method,
      ca: server.ca,
      headers: { Authorization: `Bearer ${admin.token}` },
      ...(body === undefined ? {} : { body }),
    });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.text;
  };
  const stop = async () => {
    rmSync(folder, { recursive: true, force: true });
    await server.stop();
  };
  let beginning = '';
  try {
    for (const line of preparations) await must(line);
    const renamed = new Map<string, string>();
    for (const [line, to] of fixed) renamed.set((await must(`${line} -o id`)).trim(), to);
    for (const line of nameless) {
      const [id = ''] = (await must(`${line} -o id`)).split('\n');
      if (id === '') throw new Error(`${line}: it prints no id`);
      renamed.set(id, sampleId);
    }
    beginning = await state('GET');
    for (const [from, to] of renamed) beginning = beginning.replaceAll(from, to);
  } catch (error) {
    await stop();
    throw error;
  }
  const restore = async () => {
    await state('PUT', beginning);
  };
  const adopt = async (line: string) => {
    const [id = ''] = (await must(`${line} -o id`)).split('\n');
    if (id === '') throw new Error(`${line}: it prints no id`);
    await state('PUT', (await state('GET')).replaceAll(id, sampleId));
  };
  await restore();
  return {
    server,
    folder,
    env,
    admin,
    run,
    must,
    restore,
    adopt,
    stop,
  };
}
