/**
 * Updates of attached disks. At the disk itself, services of the standard dialect change `qcow_version` alone; every
 * service changes all attributes through the disk attachment.
 */

import type { ApiObject, Call } from '../../client/client.ts';
import { VmctlError } from '../../client/errors.ts';
import { shellQuote } from '../../client/shell-quote.ts';
import { listAttributes, requireOperation } from '../../model/index.ts';
import type { Attribute } from '../../model/notation/attributes.ts';
import type { Resource } from '../../model/resource.ts';
import { formatJson } from '../text/json.ts';
import type { Run } from './run.ts';

type Body = Readonly<Record<string, unknown>>;

/** Attributes that every service changes on the disk itself. */
const changedAtDisk: ReadonlySet<string> = new Set(['qcow_version']);

/**
 * Updates a disk: through its attachment if exactly one VM uses the disk, otherwise directly.
 * Returns the disk, or an empty object if the response describes the attachment. Adds a hint to a
 * refusal that points to the attachment.
 */
export async function updateDisk(
  run: Run,
  call: Call & { readonly body: Body },
  id: string,
): Promise<ApiObject> {
  const { client } = run;
  const disk = await readAttached(run, call, id);
  const vms = disk?.vms;
  const [vm, ...others] = vms ?? [];
  if (vm && others.length === 0) {
    await client.object(createAttachmentCall({ ...call, before: disk ?? {} }, String(vm.id), id));
    return {};
  }
  try {
    return await client.object(call);
  } catch (error) {
    throw addHint(error, id, vms, call.body);
  }
}

/**
 * Reads the disk with the VMs that use it; undefined if the disk itself accepts the complete body,
 * or is not readable.
 */
async function readAttached(
  { client }: Run,
  { body }: Call & { readonly body: Body },
  id: string,
): Promise<Resource<'disk'> | undefined> {
  if (Object.keys(body).every((name) => changedAtDisk.has(name))) return undefined;
  const operation = requireOperation('/disks/{disk}', 'get');
  try {
    return await client.object({ operation, ids: { disk: id }, query: { follow: 'vms' } });
  } catch (error) {
    if (error instanceof VmctlError && error.status !== undefined) return undefined;
    throw error;
  }
}

/**
 * Creates the same update for the attachment to a VM. The history records it as an update of the
 * disk.
 */
function createAttachmentCall(
  call: Call & { readonly body: Body },
  vm: string,
  disk: string,
): Call {
  return {
    ...call,
    operation: requireOperation('/vms/{vm}/diskattachments/{attachment}', 'update'),
    ids: { vm, attachment: disk },
    query: {},
    body: createAttachmentBody(call.body),
    recordedAs: call,
  };
}

/**
 * Creates the body for the attachment. Write-only attributes of a disk are attributes of its
 * attachment.
 */
function createAttachmentBody(body: Body): Body {
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

/** Adds a command as a hint if the service refused to change an attribute of the disk. */
function addHint(
  error: unknown,
  id: string,
  vms: readonly Resource<'vm'>[] | undefined,
  body: Body,
): unknown {
  const isRefused =
    error instanceof VmctlError && /attachment/i.test(error.fault?.detail ?? '') && vms;
  if (!isRefused || error.hint !== undefined) return error;
  const [vm] = vms;
  const hint = vm
    ? `several VMs use the disk; select one: vmctl diskattachments update ${id} --vm ${shellQuote(String(vm.name ?? vm.id))} --set-json ${shellQuote(`disk=${formatJson(body)}`)}`
    : `no VM uses the disk; attach it first: vmctl diskattachments attach --disk ${id} --interface virtio_scsi --vm NAME`;
  return Object.assign(error, { hint });
}
