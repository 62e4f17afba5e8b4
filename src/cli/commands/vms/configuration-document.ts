/** The OVF document with the configuration of a machine, as the service writes it. */
import type { ApiObject } from '../../../client/client.ts';
import type { OperationRunner } from '../../verbs/operation-runner.ts';

/** The document of a machine, in the layout of archives or of storage; undefined where the service has none. */
export async function configurationDocument(
  runner: OperationRunner,
  vm: string,
  layout: 'ova' | 'ovf',
): Promise<string | undefined> {
  const { initialization } = await runner.call({
    path: '/vms/{vm}',
    name: 'get',
    ids: { vm },
    query: { all_content: true, ...(layout === 'ova' ? { ovf_as_ova: true } : {}) },
  });
  const configuration = (initialization as ApiObject | undefined)?.['configuration'];
  const text = (configuration as ApiObject | undefined)?.['data'];
  return typeof text === 'string' && text !== '' ? text : undefined;
}
