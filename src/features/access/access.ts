/** Commands `can-i` and `who-can`: required permits, compared with effective permissions. */

import { printView } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { fetchEntryPoint } from '../../cli/session/connect.ts';
import { findRootCollection, getCollection } from '../../cli/verbs/collections.ts';
import {
  type EffectivePermission,
  getObjectName,
  readEffectivePermissions,
} from '../../cli/verbs/effective-permissions.ts';
import { createFinder } from '../../cli/verbs/references.ts';
import type { Client } from '../../client/client.ts';
import { ForbiddenError, UsageError } from '../../client/errors.ts';
import { requireOperation } from '../../model/index.ts';
import { everyone } from '../../model/resources/group.ts';
import { superUserRole } from '../../model/resources/role.ts';
import { listRequirements, type Requirement } from './requirements.ts';

interface AccessFlags {
  readonly on?: readonly string[];
  readonly as?: string;
}

/** Exit code for the answer no. */
const answerNo = 1;

/** Requirement with the permissions that apply to its target. */
interface Checked {
  readonly requirement: Requirement;
  readonly grants: readonly EffectivePermission[];
  /** Objects whose permissions the caller may not read. */
  readonly unreadable: readonly string[];
}

/** Prints whether a user may run a command, and why. */
export async function runCanI(
  cli: CommandContext,
  verb: string,
  object: string,
  flags: AccessFlags,
): Promise<void> {
  const client = await cli.client();
  const userId = await findUser(cli, client, flags.as);
  const holders = new Set([userId, everyone, ...(await listGroups(client, userId))]);
  const checked = await checkRequirements(cli, verb, object, flags.on);
  const answers = checked.map((one) => {
    const mine = one.grants.filter((grant) => holders.has(getHolderId(grant)));
    const grant = mine.find((candidate) => grantsPermit(candidate, one.requirement.permit));
    return {
      row: describeRequirement(one.requirement, grant),
      doubt: grant ? undefined : findDoubt({ ...one, grants: mine }, `${verb} ${object}`, 'can-i'),
    };
  });
  // One missing permit is enough for the answer no.
  const refused = answers.some(({ row, doubt }) => row.allowed === 'no' && !doubt);
  const doubt = answers.find((one) => one.doubt)?.doubt;
  if (doubt && !refused) throw doubt;
  const rows = answers.map(({ row, doubt }) => (doubt ? { ...row, allowed: 'unknown' } : row));
  await printView(cli, {
    noun: 'permits',
    items: rows,
    columns: ['allowed', 'permit', 'object', 'role', 'holder', 'granted_on'],
  });
  if (refused) cli.exitCode = answerNo;
}

/** Prints the users and groups that hold all required permits. */
export async function runWhoCan(
  cli: CommandContext,
  verb: string,
  object: string,
  flags: AccessFlags,
): Promise<void> {
  const checked = await checkRequirements(cli, verb, object, flags.on);
  const perNeed = checked.map((one) => {
    const { grants, requirement } = one;
    const granted = grants.filter((grant) => grantsPermit(grant, requirement.permit));
    const doubt = granted.length === 0 && findDoubt(one, `${verb} ${object}`, 'who-can');
    if (doubt) throw doubt;
    return granted;
  });
  for (const hidden of new Set(checked.flatMap(listUnreadable))) {
    cli.warn(`cannot read ${hidden}; the list may be incomplete`);
  }
  const rows = (perNeed[0] ?? []).filter((grant) =>
    perNeed.every((all) => all.some((one) => getHolderId(one) === getHolderId(grant))),
  );
  const unique = new Map(rows.map((grant) => [getHolderId(grant), grant]));
  await printView(cli, {
    noun: 'permissions',
    items: [...unique.values()].map((grant) => ({
      id: grant.permission.id,
      kind: grant.permission.group ? 'group' : 'user',
      holder: getHolder(grant),
      role: grant.permission.role?.name,
      granted_on: grant.origin,
    })),
    columns: ['kind', 'holder', 'role', 'granted_on'],
  });
}

async function checkRequirements(
  cli: CommandContext,
  verb: string,
  object: string,
  on: readonly string[] = [],
): Promise<readonly Checked[]> {
  const client = await cli.client();
  const finder = createFinder(cli, client);
  const found = await listRequirements({ client, finder, verb, object, on });
  // Operations without permits are those of super users.
  const requirements = found ?? [{ permit: superUserPermit }];
  return await Promise.all(
    requirements.map(async (requirement) => {
      const { type = 'system', object: target } = requirement.target ?? {};
      const found = await readEffectivePermissions(client, type, target);
      return { requirement, grants: found.permissions, unreadable: found.unreadable };
    }),
  );
}

/** Name of the requirement of operations that only super users may call. */
const superUserPermit = '(super user)';

function grantsPermit(grant: EffectivePermission, permit: string): boolean {
  const permits = grant.permission.role?.permits ?? [];
  return isSuperUser(grant) || permits.some(({ name }) => name === permit);
}

/** Whether a permission is that of an administrator of the service, which has all permits. */
function isSuperUser({ permission: { role }, origin }: EffectivePermission): boolean {
  return role?.id === superUserRole && origin === 'system';
}

/** Data that the user may not read, and that could contain the permit. */
function listUnreadable({ grants, unreadable }: Checked): readonly string[] {
  const roles = grants
    .filter((grant) => !isSuperUser(grant) && (grant.permission.role?.permits ?? []).length === 0)
    .map(({ permission: { role } }) => role);
  return [
    ...roles.map((role) => `the permits of the role ${role?.name ?? role?.id}`),
    ...(unreadable.length > 0 ? [`the permissions of ${unreadable.join(', ')}`] : []),
  ];
}

/** Reason why a missing permit is no answer: an unnamed object, or unreadable data. */
function findDoubt(
  checked: Checked,
  command: string,
  question: 'can-i' | 'who-can',
): Error | undefined {
  const { missing, permit } = checked.requirement;
  if (missing !== undefined) {
    const noun = findRootCollection(missing)?.noun ?? missing;
    return new UsageError(`${command}: the permit ${permit} depends on the ${missing}`, {
      hint: `add --on ${noun}/NAME`,
    });
  }
  const [what] = listUnreadable(checked);
  if (what === undefined) return undefined;
  return new ForbiddenError(`cannot read ${what}`, {
    code: 'unreadable_permits',
    hint: `an administrator can run vmctl ${question} ${command}${question === 'can-i' ? ' --as USER' : ''}`,
  });
}

function describeRequirement(
  { permit, target, missing }: Requirement,
  grant: EffectivePermission | undefined,
) {
  const type = target?.type ?? missing;
  const noun = (type && findRootCollection(type)?.noun) ?? type ?? 'system';
  return {
    allowed: grant ? 'yes' : 'no',
    permit,
    object: target ? `${noun}/${getObjectName(target.object)}` : noun,
    role: grant?.permission.role?.name,
    holder: grant && getHolder(grant),
    granted_on: grant?.origin,
  };
}

function getHolderId({ permission: { user, group } }: EffectivePermission): string {
  return String(user?.id ?? group?.id ?? '');
}

function getHolder({ permission: { user, group } }: EffectivePermission): string | undefined {
  return user ? (user.user_name ?? user.name ?? user.id) : (group?.name ?? group?.id);
}

/** Id of the named user, or of the caller. */
async function findUser(cli: CommandContext, client: Client, name?: string): Promise<string> {
  if (name === undefined) return String((await fetchEntryPoint(client)).authenticated_user?.id);
  return (await createFinder(cli, client).find(name, getCollection('/users'))).id;
}

async function listGroups(client: Client, user: string): Promise<readonly string[]> {
  const operation = requireOperation('/users/{user}/groups', 'list');
  const groups = await client.list({ operation, ids: { user }, what: 'list groups' });
  return groups.map(({ id }) => String(id));
}
