/** OVF document with the configuration of a VM, from the service. */
import type { OperationRunner } from '../../verbs/operation-runner.ts';

/**
 * Reads the OVF document of a VM in the layout of archives (`ova`) or of storage domains (`ovf`);
 * undefined if the service returns none.
 */
export async function readConfigurationDocument(
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
  const text = initialization?.configuration?.data;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
