/**
 * Traces of changes: every change writes an event, except the operations listed here with their
 * reasons.
 * The check covers every request of a test of operations.
 */
import { expect } from 'vitest';
import { route } from '../../../src/server/api/request.ts';
import type { RawAnswer, RawApi } from '../../support/raw.ts';

/** Operations without an event, and why. */
const silent: Readonly<Record<string, string>> = {
  '/clusters/{cluster} refresh_gluster_heal_status': 'only asks',
  '/clusters/{cluster}/glustervolumes/{volume} get_profile_statistics': 'only asks',
  '/datacenters/{datacenter}/clusters/{cluster} refresh_gluster_heal_status': 'only asks',
  '/datacenters/{datacenter}/clusters/{cluster}/glustervolumes/{volume} get_profile_statistics':
    'only asks',
  '/externalhostproviders/{provider} test_connectivity': 'only asks',
  '/openstackimageproviders/{provider} test_connectivity': 'only asks',
  '/openstacknetworkproviders/{provider} test_connectivity': 'only asks',
  '/openstackvolumeproviders/{provider} test_connectivity': 'only asks',
  '/vms/{vm}/graphicsconsoles/{console} proxy_ticket': 'only asks',
  '/hosts/{host} discover_iscsi': 'only asks',
  '/hosts/{host} iscsi_discover': 'only asks',
  '/hosts/{host} unregistered_storage_domains_discover': 'only asks',
  '/storagedomains/{storagedomain} is_attached': 'only asks',
  '/hosts/{host} iscsi_login': 'changes a session of the host, nothing in the inventory',
  '/storageconnections add': 'unused until a domain uses it, which writes an event',
  '/storageconnections/{storageconnection} remove': 'is no longer used',
  '/imagetransfers/{imagetransfer} extend': 'keeps a transfer alive, as its bytes do',
  '/jobs/{job} clear': 'jobs are a record themselves',
  '/jobs/{job} end': 'jobs are a record themselves',
  '/jobs/{job}/steps add': 'jobs are a record themselves',
  '/jobs/{job}/steps/{step} end': 'jobs are a record themselves',
};

/** Operations that write no event without a change. */
const sometimesSilent: Readonly<Record<string, string>> = {
  '/clusters/{cluster} upgrade': 'the cluster stores the progress; start and end write events',
  '/datacenters/{datacenter}/clusters/{cluster} upgrade': 'as above',
  '/disks/{disk} update': 'it is like that already',
  '/groups add': 'finds an existing group',
  '/users add': 'finds an existing user',
  '/storageconnections/{storageconnection} update': 'no domain uses it',
  '/datacenters/{datacenter}/iscsibonds/{iscsibond}/storageserverconnections/{storageconnection} update':
    'as above',
  '/imagetransfers/{imagetransfer} finalize': 'it is finalized already',
  '/vms/{vm} logon': 'finds an existing session',
  '/vms/{vm}/graphicsconsoles/{console} remote_viewer_connection_file': 'its ticket still holds',
  '/vms/{vm}/nics/{nic} update': 'it is like that already',
  '/vms/{vm}/nics/{nic} activate': 'plugged in already',
  '/vms/{vm}/nics/{nic} deactivate': 'unplugged already',
};

interface Change {
  /** `/vms/{vm} start` */
  readonly operation: string;
  readonly correlation: string;
}

/** Successful changes of a server, as they come in. */
export class Traces {
  readonly #changes: Change[] = [];

  /** Records the response to a changing request. */
  note(method: string, path: string, answer: RawAnswer): void {
    if (method === 'GET' || method === 'HEAD' || answer.status >= 300) return;
    const [plain = ''] = path.split(/[?;]/);
    const match = route(plain.split('/').filter((segment) => segment !== ''));
    const operation = match?.operations.get(method);
    if (!operation) return;
    this.#changes.push({
      operation: `${operation.service} ${operation.name}`,
      correlation: String(answer.headers['correlation-id']),
    });
  }

  /** Fails unless each change wrote an event or is exempt. */
  async check(admin: RawApi): Promise<void> {
    const answer = await admin.json('GET', '/events');
    const { event = [] } = answer.json<{
      event?: { correlation_id?: string; description?: string }[];
    }>();
    const unfilled = event.filter(({ description }) => description?.includes('<UNKNOWN>'));
    expect(
      [...new Set(unfilled.map(({ description }) => description))],
      'events with missing parameters',
    ).toEqual([]);
    const told = new Set(event.map((one) => one.correlation_id));
    const untold = this.#changes
      .filter(({ correlation }) => !told.has(correlation))
      .map(({ operation }) => operation)
      .filter((operation) => !silent[operation] && !sometimesSilent[operation]);
    expect([...new Set(untold)], 'changes that wrote no event').toEqual([]);
  }
}
