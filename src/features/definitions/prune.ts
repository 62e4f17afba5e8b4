/**
 * Deletions of `apply --prune`: VMs and templates with a tag that the definition does not contain.
 * Planning only reads.
 */

import type { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { Ids } from '../../cli/verbs/references.ts';
import type { ApiObject } from '../../client/client.ts';
import type { Entry } from '../../definitions/entries.ts';
import { getIdentityName } from '../../definitions/identity.ts';
import { isBase, listReferences } from '../../definitions/references.ts';
import { unwrittenObjects } from '../../model/derive/definitions.ts';
import { isRecord } from '../../records.ts';
import type { CachedService } from './cached-service.ts';
import type { Change, KeptObject } from './changes.ts';

export interface Deletions {
  readonly deletions: readonly Change[];
  readonly kept: readonly KeptObject[];
}

/** The plan without deletions, and the service that it compares. */
export interface PruneContext {
  readonly runner: OperationRunner;
  readonly site: CachedService;
  readonly entries: readonly Entry[];
  /** Ids of the objects that match entries. */
  readonly matched: ReadonlySet<string>;
  readonly changes: readonly Change[];
}

/** Candidate for deletion, or the reason to keep it. */
interface Candidate {
  readonly item: ApiObject;
  readonly label: string;
  readonly disks: readonly ApiObject[];
  readonly reason: string | undefined;
}

/** VM of the service itself. */
const engineOrigins: ReadonlySet<unknown> = new Set(['hosted_engine', 'managed_hosted_engine']);

/**
 * Plans the deletion of all VMs and templates with the tag that match no entry, in the collections
 * of the definition. A deletion needs all other changes, and that of a template those of its VMs.
 */
export async function planDeletions(context: PruneContext, tag: string): Promise<Deletions> {
  const planner = new DeletionPlanner(context, tag);
  const services = new Set(context.entries.map(({ service }) => service));
  const vms = services.has('/vms') ? await planner.listVms() : [];
  const templates = services.has('/templates') ? await planner.listTemplates(vms) : [];
  const ofVms = vms.flatMap((one) => planner.createDeletion('/vms/{vm}', one, []));
  const ofTemplates: Change[] = [];
  for (const one of templates) {
    const others = [...ofVms, ...ofTemplates];
    ofTemplates.push(...planner.createDeletion('/templates/{template}', one, others));
  }
  return {
    deletions: [...ofVms, ...ofTemplates],
    kept: [...vms, ...templates].flatMap(({ label, reason }) =>
      reason === undefined ? [] : [{ label, reason }],
    ),
  };
}

class DeletionPlanner {
  readonly #context: PruneContext;
  readonly #tag: string;
  /** Objects that the definition references, as `TYPE NAME`. */
  readonly #referenced: ReadonlySet<string>;

  constructor(context: PruneContext, tag: string) {
    this.#context = context;
    this.#tag = tag;
    this.#referenced = new Set(context.entries.flatMap(listReferencedNames));
  }

  /** VMs with the tag that match no entry. */
  async listVms(): Promise<readonly Candidate[]> {
    const all = await this.#context.site.list('/vms');
    const owners = new Map<string, string[]>();
    for (const { id, name } of all) {
      for (const disk of await this.#listDisks('/vms/{vm}/diskattachments', { vm: String(id) })) {
        const key = String(disk['id']);
        owners.set(key, [...(owners.get(key) ?? []), `vms/${name}`]);
      }
    }
    const found: Candidate[] = [];
    for (const vm of all) {
      const ids = { vm: String(vm.id) };
      if (!(await this.#isCandidate('/vms/{vm}/tags', ids, vm))) continue;
      const label = `vms/${vm.name}`;
      const disks = await this.#listDisks('/vms/{vm}/diskattachments', ids);
      const reason =
        this.#findCommonReason('vm', vm) ??
        (engineOrigins.has(vm.origin) ? 'it contains the service' : undefined) ??
        (vm.vm_pool ? 'it belongs to a pool' : undefined) ??
        (vm.status === 'down' ? undefined : `its status is ${vm.status}; stop it first`) ??
        this.#findDiskReason(disks, owners, label);
      found.push({ item: vm, label, disks, reason });
    }
    return found;
  }

  /**
   * Templates with the tag that match no entry, later versions before their base. `vms` are the
   * candidates among the VMs.
   */
  async listTemplates(vms: readonly Candidate[]): Promise<readonly Candidate[]> {
    const { site } = this.#context;
    const deleted = new Set<ApiObject>(
      vms.flatMap((one) => (one.reason === undefined ? [one.item] : [])),
    );
    const users = [
      ...(await site.list('/vms')).filter((one) => !deleted.has(one)),
      ...(await site.list('/vmpools')),
    ];
    const all = (await site.list('/templates')).toSorted(
      (one, other) => getVersionNumber(other) - getVersionNumber(one),
    );
    const found: Candidate[] = [];
    for (const template of all) {
      const ids = { template: String(template.id) };
      if (!(await this.#isCandidate('/templates/{template}/tags', ids, template))) continue;
      const number = getVersionNumber(template);
      const label = `templates/${template.name}${number > 1 ? `@${number}` : ''}`;
      const user = users.find((one) => one.template?.id === template.id);
      const excepted = unwrittenObjects['template']?.['name'];
      const isBuiltIn = excepted?.includes(String(template.name)) === true;
      const versions = isBase(template)
        ? all.filter((one) => isVersionOf(one, template) && !deleted.has(one))
        : [];
      const reason =
        (isBuiltIn ? 'every service has it' : undefined) ??
        this.#findCommonReason('template', template) ??
        (user ? `${user.name} uses it` : undefined) ??
        (versions.length > 0 ? 'it has later versions; delete them first' : undefined);
      const disks = await this.#listDisks('/templates/{template}/diskattachments', ids);
      found.push({ item: template, label, disks, reason });
      if (reason === undefined) deleted.add(template);
    }
    return found;
  }

  createDeletion(
    path: '/vms/{vm}' | '/templates/{template}',
    { item, label, disks, reason }: Candidate,
    others: readonly Change[],
  ): readonly Change[] {
    if (reason !== undefined) return [];
    const { runner, changes } = this.#context;
    const change: Change = {
      action: 'delete',
      label,
      differences: disks.map((disk) => ({
        path: 'disk',
        from: getIdentityName('disk', disk) ?? String(disk['id']),
        to: '(deleted)',
      })),
      needs: [...changes, ...others],
      secrets: [],
      run: async () => {
        await runner.change({ path, name: 'remove' }, { id: String(item['id']), label });
      },
    };
    return [change];
  }

  async #isCandidate(tags: string, ids: Ids, { id }: ApiObject): Promise<boolean> {
    if (this.#context.matched.has(String(id))) return false;
    return (await this.#context.site.list(tags, ids)).some((one) => one['id'] === this.#tag);
  }

  async #listDisks(path: string, ids: Ids): Promise<readonly ApiObject[]> {
    const attachments = await this.#context.site.list(path, ids);
    return attachments.map(({ id, disk }) => ({ id, ...(isRecord(disk) ? disk : {}) }));
  }

  #findCommonReason(type: string, item: ApiObject): string | undefined {
    if (item['delete_protected'] === true) return 'it is protected against deletion';
    const isReferenced = this.#referenced.has(`${type} ${String(item['name'])}`);
    return isReferenced ? 'the definition refers to it' : undefined;
  }

  /** A VM is deleted with its disks. */
  #findDiskReason(
    disks: readonly ApiObject[],
    owners: ReadonlyMap<string, readonly string[]>,
    label: string,
  ): string | undefined {
    for (const disk of disks) {
      const name = getIdentityName('disk', disk) ?? String(disk['id']);
      const other = owners.get(String(disk['id']))?.find((one) => one !== label);
      if (other !== undefined) return `disk ${name} is also attached to ${other}`;
      if (this.#context.matched.has(String(disk['id'])) || this.#referenced.has(`disk ${name}`)) {
        return `disk ${name} is in the definition`;
      }
    }
    return undefined;
  }
}

/** Names of the objects that an entry refers to, as `TYPE NAME`. */
function listReferencedNames({ type, wanted, isMember }: Entry): readonly string[] {
  const references = isMember ? [[type, wanted] as const] : [...listReferences(type, wanted)];
  return references.flatMap(([of, reference]) => {
    const name = getIdentityName(of, reference);
    return name === undefined ? [] : [`${of} ${name}`];
  });
}

function isVersionOf(one: ApiObject, { id }: ApiObject): boolean {
  const { version } = one;
  const base = isRecord(version) ? version['base_template'] : undefined;
  return one['id'] !== id && isRecord(base) && base['id'] === id;
}

function getVersionNumber({ version }: ApiObject): number {
  return isRecord(version) ? Number(version['version_number'] ?? 1) : 1;
}
