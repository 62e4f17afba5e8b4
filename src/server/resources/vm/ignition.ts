/** Files of Ignition: a config drive with a configuration in JSON. */
import type { Resource } from '../../../model/resource.ts';
import { isRecord, toRecord } from '../../../records.ts';
import type { FirstBoot } from '../../core/hypervisor.ts';

type Initialization = Resource<'initialization'>;
type Members = Readonly<Record<string, unknown>>;

/** Version of a configuration without custom script. */
const defaultVersion = '2.3.0';

/** Account of the password and the keys if the initialization names none. */
const defaultUser = 'core';

/** Data that Ignition cannot apply; undefined without such data. */
export function findIgnitionObstacle(initialization: Initialization): string | undefined {
  const { custom_script: script, root_password: password } = initialization;
  if (script && !parseScript(script)) return 'a custom_script for Ignition that is no JSON object';
  // Ignition accepts only hashes in the form of crypt(3).
  if (password && !password.startsWith('$')) {
    return 'a root_password in plain text for Ignition; use a hash of crypt(3)';
  }
  const {
    nic_configurations: nics = [],
    dns_servers: servers,
    dns_search: search,
  } = initialization;
  const hasNetwork = nics.length > 0 || servers || search;
  return hasNetwork ? 'network settings for Ignition outside of custom_script' : undefined;
}

/** Creates the files. The custom script has precedence over generated accounts and files. */
export function createIgnitionFiles(initialization: Initialization): FirstBoot['files'] {
  const script = parseScript(initialization.custom_script || '{}') ?? {};
  const { ignition, passwd, storage } = script;
  const version = String(toRecord(ignition)['version'] ?? defaultVersion);
  const users = mergeLists(createUsers(initialization), toRecord(passwd)['users'], 'name');
  const files = mergeLists(
    createFiles(initialization, version),
    toRecord(storage)['files'],
    'path',
  );
  const config = {
    ...script,
    ignition: { ...toRecord(ignition), version },
    ...(users.length > 0 ? { passwd: { ...toRecord(passwd), users } } : {}),
    ...(files.length > 0 ? { storage: { ...toRecord(storage), files } } : {}),
  };
  return [{ path: 'openstack/latest/user_data', text: `${JSON.stringify(config)}\n` }];
}

function parseScript(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The generated objects whose key the script does not contain, and those of the script. */
function mergeLists(generated: readonly Members[], sent: unknown, key: string): Members[] {
  const own = Array.isArray(sent) ? sent.map(toRecord) : [];
  const missing = generated.filter((one) => !own.some((other) => other[key] === one[key]));
  return [...missing, ...own];
}

function createUsers(initialization: Initialization): Members[] {
  const { root_password: password, user_name: user } = initialization;
  const keys = (initialization.authorized_ssh_keys ?? '')
    .split(/\r?\n/)
    .filter((key) => key.trim() !== '');
  if (!password && !user && keys.length === 0) return [];
  return [
    {
      name: user || defaultUser,
      ...(password ? { passwordHash: password } : {}),
      ...(keys.length > 0 ? { sshAuthorizedKeys: keys } : {}),
    },
  ];
}

function createFiles({ host_name: name, timezone }: Initialization, version: string): Members[] {
  const isSecond = version.startsWith('2.');
  const place = isSecond ? { filesystem: 'root' } : { overwrite: true };
  const create = (path: string, text: string) => ({
    ...{ ...place, path, mode: 0o644 },
    contents: { source: `data:,${encodeURIComponent(text)}` },
  });
  return [
    ...(name ? [create('/etc/hostname', `${name}\n`)] : []),
    ...(timezone ? [create('/etc/timezone', `${timezone}\n`)] : []),
  ];
}
