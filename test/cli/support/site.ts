/** A stub service with a few objects, and a way to run commands against it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  password,
  type Routes,
  type Stub,
  serviceRoutes,
  startStub,
} from '../../support/stub-server.ts';
import { type Result, type RunOptions, vmctl } from './run.ts';

export interface Site {
  readonly stub: Stub;
  readonly home: string;
  /** Runs a command with a signed-in user. */
  readonly run: (argv: readonly string[], options?: RunOptions) => Promise<Result>;
  /** The same; it must succeed without a word beside its output, which is returned. */
  readonly out: (...argv: string[]) => Promise<string>;
  /** Requests below the API root since the last call, as `METHOD /path?query`. */
  readonly calls: () => readonly string[];
  readonly close: () => Promise<void>;
}

export const ids = {
  web01: '11111111-0000-0000-0000-000000000001',
  web02: '11111111-0000-0000-0000-000000000002',
  lab: '22222222-0000-0000-0000-000000000001',
  host1: '33333333-0000-0000-0000-000000000001',
} as const;

export const web01 = {
  id: ids.web01,
  href: `/virt-app/api/vms/${ids.web01}`,
  name: 'web01',
  status: 'up',
  memory: 4_294_967_296,
  cpu: { topology: { sockets: 1, cores: 2, threads: 1 } },
  cluster: { id: ids.lab },
  host: { id: ids.host1 },
  link: [{ rel: 'nics', href: '/x' }],
};

export const web02 = {
  id: ids.web02,
  href: `/virt-app/api/vms/${ids.web02}`,
  name: 'web02',
  status: 'down',
  memory: '1073741824',
  stateless: 'true',
  cluster: { id: ids.lab },
};

/** A list that knows `search=name=…` and nothing more. */
export function searchable(tag: string, items: readonly object[]): Routes[string] {
  return ({ query }) => {
    const [, quoted, plain] =
      /^(?:name|alias)=(?:"(.*)"|(\S+))/.exec(query.get('search') ?? '') ?? [];
    const name = quoted ?? plain;
    const found = items.filter(
      (item) => name === undefined || ('name' in item && item.name === name),
    );
    return { body: found.length > 0 ? { [tag]: found } : {} };
  };
}

const api = '/virt-app/api';

function objectRoutes(): Routes {
  return {
    [`GET ${api}/vms`]: searchable('vm', [web01, web02]),
    [`GET ${api}/vms/${ids.web01}`]: { body: web01 },
    [`GET ${api}/vms/${ids.web02}`]: { body: web02 },
    [`GET ${api}/clusters`]: searchable('cluster', [{ id: ids.lab, name: 'lab' }]),
    [`GET ${api}/clusters/${ids.lab}`]: { body: { id: ids.lab, name: 'lab' } },
    [`GET ${api}/hosts`]: searchable('host', [{ id: ids.host1, name: 'host1' }]),
    [`GET ${api}/hosts/${ids.host1}`]: { body: { id: ids.host1, name: 'host1' } },
  };
}

/** Starts the stub; `more` adds routes or replaces them. */
export async function startSite(more: Routes = {}): Promise<Site> {
  const stub = await startStub({ ...serviceRoutes(), ...objectRoutes(), ...more });
  const home = mkdtempSync(join(tmpdir(), 'vmctl-site-'));
  const ca = join(home, 'ca.pem');
  writeFileSync(ca, stub.identity.ca);
  let seen = 0;
  const run: Site['run'] = (argv, options = {}) =>
    vmctl(argv, {
      ...options,
      env: {
        HOME: home,
        VMCTL_URL: `${stub.url}/virt-app`,
        VMCTL_USERNAME: 'admin@internal',
        VMCTL_PASSWORD: password,
        VMCTL_CA_FILE: ca,
        ...options.env,
      },
    });
  return {
    stub,
    home,
    run,
    out: async (...argv) => {
      const { code, stdout, stderr } = await run(argv);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    },
    calls: () => {
      const lines = stub.log().slice(seen);
      seen += lines.length;
      return lines.filter((line) => !line.includes('/sso/')).map((line) => line.replace(api, ''));
    },
    close: async () => {
      await stub.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
