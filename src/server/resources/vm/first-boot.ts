/** First boot data of a run: choice of the kind, and the files that the guest reads. */
import type { ActionBody, Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import type { FirstBoot } from '../../core/hypervisor.ts';
import { pickDefined } from '../../core/member-selection.ts';
import { getRunState, type Vm } from '../../inventory/vm.ts';
import type { RunState } from '../../store/stored-members.ts';
import { createCloudInitFiles } from './cloud-init.ts';
import { createIgnitionFiles, findIgnitionObstacle } from './ignition.ts';
import { createSysprepFiles, findSysprepObstacle } from './sysprep.ts';

type Initialization = Resource<'initialization'>;
type Kind = FirstBoot['kind'];
type Files = FirstBoot['files'];

/** Kinds by the parameter of a start. */
const kindsByParameter = {
  use_cloud_init: 'cloud-init',
  use_sysprep: 'sysprep',
  use_ignition: 'ignition',
} as const satisfies Readonly<Record<string, Kind>>;

const parameters = ['use_cloud_init', 'use_sysprep', 'use_ignition'] as const;

/** The body of a start. An initialization in it requests first boot data, if VMs are real. */
export function requestFirstBoot({ site }: RuleContext, body: ActionBody): ActionBody {
  if (!site.hypervisor || body['vm']?.initialization === undefined) return body;
  return parameters.some((one) => body[one] === true)
    ? body
    : { ...body, use_initialization: true };
}

/**
 * Chooses the first boot data of a new run: the requested kind, or the kind of the operating system
 * if the guest has not run with its disks. `vm` has the overrides of the run.
 * Refuses data that no guest would accept.
 */
export function chooseFirstBoot(
  ctx: RuleContext,
  vm: Vm,
  body: ActionBody,
): Pick<RunState, 'firstBoot'> {
  if (!ctx.site.hypervisor) return {};
  const requested = parameters.find((one) => body[one] === true);
  const isDue = body['use_initialization'] === true || (isFirstRun(vm) && hasInitialization(vm));
  const kind = requested ? kindsByParameter[requested] : isDue ? findKind(vm) : undefined;
  if (!kind) return {};
  const obstacle = findObstacle(kind, vm);
  if (obstacle !== undefined) {
    const hypervisor = ctx.site.hypervisor.name;
    ctx.refuse('HARDWARE_UNSUPPORTED', { action: 'run', hypervisor, detail: obstacle });
  }
  return { firstBoot: kind };
}

/** The first boot data of the current run of a VM, if it has some. `run` is the id of the run. */
export function describeFirstBoot(vm: Vm, run: string): { readonly firstBoot?: FirstBoot } {
  const { firstBoot: kind } = getRunState(vm);
  if (!kind) return {};
  return { firstBoot: { kind, files: createFiles(kind, getInitialization(vm), run) } };
}

function createFiles(kind: Kind, initialization: Initialization, run: string): Files {
  if (kind === 'cloud-init') return createCloudInitFiles(initialization, run);
  return kind === 'sysprep'
    ? createSysprepFiles(initialization)
    : createIgnitionFiles(initialization);
}

/** A VM that has stopped has run before. The disks of a stateless VM are new in each run. */
function isFirstRun(vm: Vm): boolean {
  return vm.former_uptime === undefined || vm.stateless === true;
}

function hasInitialization(vm: Vm): boolean {
  const { regenerate_ssh_keys: _keys, ...rest } = getInitialization(vm);
  return Object.values(rest).some((value) => value !== '' && !isEmptyList(value));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The kind that the operating system reads. */
function findKind({ os }: Vm): Kind {
  if (os?.type?.startsWith('windows')) return 'sysprep';
  return os?.type?.startsWith('rhcos') ? 'ignition' : 'cloud-init';
}

/** Data that the server cannot pass to the guest; undefined without such data. */
function findObstacle(kind: Kind, vm: Vm): string | undefined {
  if (vm.initialization?.cloud_init?.network_configuration) {
    return 'cloud_init.network_configuration; use nic_configurations';
  }
  if (kind === 'cloud-init') return undefined;
  const find = kind === 'sysprep' ? findSysprepObstacle : findIgnitionObstacle;
  return find(getInitialization(vm));
}

/** The initialization of a VM, with the members of its older form that have no newer value. */
function getInitialization({ initialization = {} }: Vm): Initialization {
  const { cloud_init: older, configuration: _document, ...rest } = initialization;
  if (!older) return rest;
  const keys = (older.authorized_keys ?? []).flatMap(({ key }) => key ?? []).join('\n');
  const [user] = older.users ?? [];
  const found = {
    host_name: older.host?.address,
    authorized_ssh_keys: keys === '' ? undefined : keys,
    regenerate_ssh_keys: older.regenerate_ssh_keys,
    timezone: older.timezone,
    user_name: user?.user_name,
    root_password: user?.password,
  };
  return { ...pickDefined<Initialization>(found), ...rest };
}
