/**
 * Updates of attached disks. At the disk itself, services of the standard dialect change `qcow_version` alone; every
 * service changes all attributes through the disk attachment.
 */
import type { ApiObject, Call } from '../../client/client.ts';
import { VmctlError } from '../../client/errors.ts';
import { shellQuote } from '../../client/shell-quote.ts';
import { listAttributes } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import { jsonText } from '../text/json.ts';
import { collectionAt } from './collections.ts';
import { operationNamed, placeholderOf } from './references.ts';
import type { Run } from './run.ts';

type Body = Readonly<Record<string, unknown>>;

/** Attributes that every service changes on the disk itself. */
const changedAtDisk: ReadonlySet<string> = new Set(['qcow_version']);

/**
 * Sends the update of a disk: through its disk attachment if exactly one VM uses the disk, to the disk otherwise.
 * Returns the disk, or an empty object if the answer describes the attachment. Throws what the service refuses,
 * with a hint if the refusal points to the attachment.
 */
export async function updateDisk(
  run: Run,
  call: Call & { readonly body: Body },
  id: string,
): Promise<ApiObject> {
  const { client } = run;
  const disk = await readAttached(run, call, id);
  const vms = disk?.['vms'] as readonly ApiObject[] | undefined;
  const [vm, ...others] = vms ?? [];
  if (vm && others.length === 0) {
    await client.object(attachmentCall({ ...call, before: disk ?? {} }, String(vm['id']), id));
    return {};
  }
  try {
    return await client.object(call);
  } catch (error) {
    throw withHint(error, id, vms, call.body);
  }
}

/** The disk with the VMs that use it; undefined if all of the body is changed at the disk, or it cannot be read. */
async function readAttached(
  { client }: Run,
  { body }: Call & { readonly body: Body },
  id: string,
): Promise<ApiObject | undefined> {
  const get = operationNamed('/disks/{disk}', 'get');
  if (!get || Object.keys(body).every((name) => changedAtDisk.has(name))) return undefined;
  try {
    return await client.object({ operation: get, ids: { disk: id }, query: { follow: 'vms' } });
  } catch (error) {
    if (error instanceof VmctlError && error.status !== undefined) return undefined;
    throw error;
  }
}

/** The same update through the attachment to a VM. The history records it as the update of the disk. */
function attachmentCall(call: Call & { readonly body: Body }, vm: string, disk: string): Call {
  const attachments = collectionAt('/vms/{vm}/diskattachments');
  const operation = operationNamed(attachments.object ?? '', 'update');
  if (!operation) throw new Error('The model has no update of disk attachments.');
  return {
    ...call,
    operation,
    ids: { vm, [placeholderOf(attachments)]: disk },
    query: {},
    body: attachmentBody(call.body),
    recordedAs: call,
  };
}

/** The body for the attachment. Write-only attributes of a disk are attributes of its attachment. */
function attachmentBody(body: Body): Body {
  const ofDisk: Readonly<Record<string, Attribute>> = listAttributes('disk');
  const ofAttachment: Readonly<Record<string, Attribute>> = listAttributes('disk_attachment');
  const isOwn = ([name]: readonly [string, unknown]) =>
    ofDisk[name]?.writeOnly === true && ofAttachment[name] !== undefined;
  const members = Object.entries(body);
  const rest = members.filter((member) => !isOwn(member));
  return {
    ...Object.fromEntries(members.filter(isOwn)),
    ...(rest.length > 0 ? { disk: Object.fromEntries(rest) } : {}),
  };
}

/** The error with a command to type, if the service refused to change an attribute at the disk. */
function withHint(
  error: unknown,
  id: string,
  vms: readonly ApiObject[] | undefined,
  body: Body,
): unknown {
  const isRefused =
    error instanceof VmctlError && /attachment/i.test(error.fault?.detail ?? '') && vms;
  if (!isRefused || error.hint !== undefined) return error;
  const [vm] = vms;
  const hint = vm
    ? `several VMs use the disk; select one: vmctl diskattachments update ${id} --vm ${shellQuote(String(vm['name'] ?? vm['id']))} --set-json ${shellQuote(`disk=${jsonText(body)}`)}`
    : `no VM uses the disk; attach it first: vmctl diskattachments attach --disk ${id} --interface virtio_scsi --vm NAME`;
  return Object.assign(error, { hint });
}
