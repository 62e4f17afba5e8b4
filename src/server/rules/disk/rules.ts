/** Rules of disks: adding, changing and removing them; what becomes of them at the end of a move. */
import { disk as lifecycle } from '../../../model/lifecycles/disk.ts';
import type { Resource } from '../../../model/resource.ts';
import { isPermitted } from '../../auth/permissions.ts';
import { onArrival, requireState } from '../../jobs/moves.ts';
import type { StoredObject } from '../../store/document.ts';
import type { RuleContext } from '../context.ts';
import { contentsOf } from '../domain-contents/unregistered.ts';
import { rules } from '../notation.ts';
import { measured } from '../storage/space.ts';
import { diskActions } from './actions.ts';
import {
  createImage,
  diskWords,
  domainOf,
  eraseDisk,
  moveDisk,
  pluggedInto,
  prepareDisk,
  templatesOf,
  vmsOf,
} from './disk.ts';
import { copiesOf, ended, failed } from './ends.ts';
import { withUnit } from './lun.ts';

type Disk = Resource<'disk'>;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const diskRules = rules({
  kind: 'disk',
  lifecycle,

  /** Disks that are on the storage, but not in the inventory, are of a kind of their own. */
  locate(ctx, place, id) {
    const { owner } = place;
    if (owner?.kind !== 'storage_domain' && owner?.kind !== 'attached_storage_domain') return place;
    const collection = contentsOf(owner.id, 'disks');
    const asked =
      id === undefined
        ? ctx.parameters.flag('unregistered') === true
        : ctx.tx.get('unregistered_disk', id, collection) !== undefined;
    if (!asked) return place;
    return { ...place, kind: 'unregistered_disk', collection, options: { where: { collection } } };
  },

  prepare(ctx, disk, _place, sent) {
    if (sent['active'] === true) ctx.refuse('DISK_FLOATS', { action: 'add' });
    const id = sent['id'];
    if (typeof id === 'string' && uuid.test(id)) {
      if (ctx.tx.get('disk', id)) ctx.refuse('DISK_EXISTS', { action: 'add', id });
      disk.id = id;
    }
    prepareDisk(ctx, disk);
  },

  added(ctx, { object, place }) {
    grant(ctx, object);
    createImage(ctx, object);
    if (object.storage_type === 'lun') ctx.event(2021, {}, { DiskAlias: object.alias });
    else moveDisk(ctx, place, object, 'add');
  },

  change(ctx, before, after, _place, sent) {
    const asked = Object.keys(sent).filter((name) => name !== 'id' && name !== 'href');
    if (asked.some((name) => name !== 'qcow_version' && differs(before, after, name))) {
      ctx.refuse('DISK_ONLY_QCOW_VERSION', { action: 'edit' });
    }
    if (asked.includes('qcow_version')) {
      if (before.format !== 'cow') ctx.refuse('DISK_RAW_HAS_NO_VERSION', { action: 'edit' });
      requireState(ctx, 'disk', before as StoredObject, 'update', diskWords(before));
    }
  },

  changed(ctx, before, { place, object }) {
    if (before.qcow_version !== object.qcow_version) moveDisk(ctx, place, object, 'update');
    else ctx.event(88, {}, { DiskAlias: object.alias });
  },

  removable(ctx, { object }) {
    const unit = object.storage_type === 'lun';
    if (!unit) requireState(ctx, 'disk', object as StoredObject, 'remove', diskWords(object));
    const vms = pluggedInto(ctx, object);
    if (vms.length > 0) {
      const names = vms.map(({ name }) => name).join(', ');
      ctx.refuse('DISK_IS_IN_USE', { action: 'remove', names });
    }
    const [template] = templatesOf(ctx, object);
    if (template) ctx.refuse('DISK_OF_TEMPLATE', { action: 'remove', name: template.name });
    const drives = ctx.tx.list('cdrom', { where: { file_id: object.id ?? '' } });
    if (drives.length > 0) {
      const names = drives.map(({ vm }) => ctx.tx.get('vm', vm?.id ?? '')?.name).join(', ');
      ctx.refuse('DISK_IN_CD_DRIVE', { action: 'remove', names });
    }
  },

  remove(ctx, { place, object }) {
    if (object.storage_type === 'lun') {
      ctx.event(2012, {}, { DiskAlias: object.alias });
      eraseDisk(ctx, object as StoredObject);
    } else {
      moveDisk(ctx, place, object, 'remove');
    }
  },

  present(ctx, disk) {
    if (disk.storage_type === 'lun') return { ...withUnit(ctx, disk), status: undefined };
    // While bytes arrive, the file knows better.
    return disk.status === 'locked' ? measured(ctx, disk) : {};
  },

  references: {
    vms: (ctx, disk) => vmsOf(ctx, disk).map(({ vm }) => ({ id: vm.id ?? '' })),
  },

  actions: diskActions,
});

/** Whoever adds a disk may go on working with it. */
function grant(ctx: RuleContext, disk: Disk): void {
  const { userId } = ctx.caller;
  const id = disk.id ?? '';
  if (isPermitted(ctx.tx, ctx.caller, 'edit_disk_properties', { kind: 'disk', id })) return;
  const role = ctx.tx.byName('role', 'DiskOperator')?.id;
  if (!role || !ctx.tx.get('user', userId)) return;
  ctx.tx.insert('permission', '/permissions', {
    id: ctx.site.newId(),
    role: { id: role },
    user: { id: userId },
    disk: { id },
  });
}

onArrival('disk', {
  describe: (ctx, object, journey) => {
    const disk = object as Disk;
    const domain = domainOf(ctx, disk);
    const vm = ctx.tx.get('vm', String(journey.data?.['vm'] ?? ''));
    return {
      subjects: { ...(domain ? { storage_domain: domain } : {}), ...(vm ? { vm } : {}) },
      words: {
        DiskAlias: disk.alias ?? disk.name ?? disk.id ?? '',
        StorageDomainName: domain?.name ?? '<none>',
      },
    };
  },
  arrived: ended,
  copies: copiesOf,
  failed,
});

function differs(before: Disk, after: Disk, name: string): boolean {
  const [a, b] = [before, after].map((disk) => (disk as StoredObject)[name]);
  return text(a) !== text(b);
}

function text(value: unknown): string | undefined {
  return JSON.stringify(value ?? null, (_, part: unknown) =>
    typeof part === 'bigint' ? part.toString() : part,
  );
}
