/**
 * Every change leaves a trace: what changes something writes an event, but for the operations that
 * are named here with their reasons. Held against every request that a test of operations makes.
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
  '/storageconnections add': 'leads nowhere until a domain uses it, which is told',
  '/storageconnections/{storageconnection} remove': 'led nowhere any more',
  '/imagetransfers/{imagetransfer} extend': 'keeps a transfer alive, as its bytes do',
  '/jobs/{job} clear': 'jobs are a record of their own',
  '/jobs/{job} end': 'jobs are a record of their own',
  '/jobs/{job}/steps add': 'jobs are a record of their own',
  '/jobs/{job}/steps/{step} end': 'jobs are a record of their own',
};

/** Operations that write no event when nothing is left to be done. */
const sometimesSilent: Readonly<Record<string, string>> = {
  '/clusters/{cluster} upgrade': 'progress is kept with the cluster, begin and end are told',
  '/datacenters/{datacenter}/clusters/{cluster} upgrade': 'as above',
  '/disks/{disk} update': 'it is like that already',
  '/groups add': 'finds a group that is there',
  '/users add': 'finds a user that is there',
  '/storageconnections/{storageconnection} update': 'no domain uses it',
  '/datacenters/{datacenter}/iscsibonds/{iscsibond}/storageserverconnections/{storageconnection} update':
    'as above',
  '/imagetransfers/{imagetransfer} finalize': 'it is finalized already',
  '/vms/{vm} logon': 'finds a session that is there',
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

  /** Notes the answer to a request, where it changed something. */
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

  /** Fails unless each change wrote an event, or is one of those that need not. */
  async check(admin: RawApi): Promise<void> {
    const answer = await admin.json('GET', '/events');
    const { event = [] } = answer.json<{
      event?: { correlation_id?: string; description?: string }[];
    }>();
    const unfilled = event.filter(({ description }) => description?.includes('<UNKNOWN>'));
    expect(
      [...new Set(unfilled.map(({ description }) => description))],
      'sentences with words that nobody gave',
    ).toEqual([]);
    const told = new Set(event.map((one) => one.correlation_id));
    const untold = this.#changes
      .filter(({ correlation }) => !told.has(correlation))
      .map(({ operation }) => operation)
      .filter((operation) => !silent[operation] && !sometimesSilent[operation]);
    expect([...new Set(untold)], 'changes that wrote no event').toEqual([]);
  }
}
