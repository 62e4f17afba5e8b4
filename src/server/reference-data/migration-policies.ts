/** Migration policies: maximum downtime of a VM, and further steps without convergence. */

/** Id of the policy of new clusters. */
export const minimalDowntime = '80554327-0569-496b-bdeb-fcbbf52b827b';

type Step = 'abort' | 'postcopy' | number;

interface MigrationPolicy {
  readonly id: string;
  readonly name: string;
  /** First compatibility level with the policy. */
  readonly since: string;
  readonly migrations: number;
  readonly isCompressed: boolean;
  readonly isZeroCopy?: true;
  /** Longest pause in milliseconds: first, then after 1, 2, 3, 4 and 6 rounds without progress. */
  readonly downtimes: readonly number[];
  /** Last steps: a longer pause, or another action. */
  readonly lastSteps: readonly Step[];
}

const policies: readonly MigrationPolicy[] = [
  {
    id: minimalDowntime,
    name: 'Minimal downtime',
    since: '4.2',
    migrations: 2,
    isCompressed: false,
    downtimes: [100, 150, 200, 300, 400, 500],
    lastSteps: ['abort'],
  },
  {
    id: '80554327-0569-496b-bdeb-fcbbf52b827c',
    name: 'Suspend workload if needed',
    since: '4.2',
    migrations: 1,
    isCompressed: true,
    downtimes: [100, 150, 200, 300, 400, 500],
    lastSteps: [5000, 'abort'],
  },
  {
    id: 'a7aeedb2-8d66-4e51-bb22-32595027ce71',
    name: 'Post-copy migration',
    since: '4.2',
    migrations: 2,
    isCompressed: false,
    downtimes: [100, 150, 200],
    lastSteps: ['postcopy', 'abort'],
  },
  {
    id: '57237b82-b8c2-425f-b425-114b35219626',
    name: 'Very large VMs',
    since: '4.7',
    migrations: 1,
    isCompressed: false,
    isZeroCopy: true,
    downtimes: [300, 400, 500, 700, 1000, 1500],
    lastSteps: [5000, 'abort'],
  },
];

/** Rounds without progress before each longer pause. */
const rounds = [1, 2, 3, 4, 6];

function createAction(step: Step): object {
  return typeof step === 'number'
    ? { action: 'setDowntime', params: [String(step)] }
    : { action: step, params: [] };
}

/** The policies of a compatibility level as JSON, as engines have them in the option `MigrationPolicies`. */
export function formatMigrationPolicies(level: string): string {
  const known = policies.filter(({ since }) => since <= level);
  return JSON.stringify(
    known.map(({ id, name, migrations, isCompressed, isZeroCopy, downtimes, lastSteps }) => {
      const [first = 0, ...others] = downtimes;
      return {
        id: { uuid: id },
        maxMigrations: migrations,
        autoConvergence: true,
        migrationCompression: isCompressed,
        enableGuestEvents: true,
        ...(isZeroCopy && { zeroCopy: true }),
        name,
        description: '',
        config: {
          convergenceItems: others.map((downtime, index) => ({
            stallingLimit: rounds[index],
            convergenceItem: createAction(downtime),
          })),
          initialItems: [createAction(first)],
          lastItems: lastSteps.map(createAction),
        },
      };
    }),
  );
}
