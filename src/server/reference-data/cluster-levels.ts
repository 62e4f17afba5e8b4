/** Compatibility levels with their processor types, lowest first. */

interface ProcessorType {
  readonly name: string;
  readonly level: number;
  readonly architecture: 'x86_64' | 'ppc64' | 's390x';
}

/** Intel generations since level 4.4; each exists plain and with security mitigations. */
const intel = [
  'Nehalem',
  'Westmere',
  'SandyBridge',
  'IvyBridge',
  'Haswell',
  'Broadwell',
  'Skylake Client',
  'Skylake Server',
  'Cascadelake Server',
  'Icelake Server',
  'Sapphire Rapids Server',
];

const amd = ['AMD Opteron G4', 'AMD Opteron G5', 'AMD EPYC', 'Secure AMD EPYC'];
const amdOf48 = [
  'AMD EPYC-Rome',
  'Secure AMD EPYC-Rome',
  'AMD EPYC-Milan',
  'AMD EPYC-Milan-v2',
  'AMD EPYC-Genoa',
];

function modern(generations: number, amdNames: readonly string[]): ProcessorType[] {
  return [
    ...intel.slice(0, generations).flatMap((name, index): ProcessorType[] => [
      { name: `Intel ${name} Family`, level: 2 * index + 1, architecture: 'x86_64' },
      { name: `Secure Intel ${name} Family`, level: 2 * index + 2, architecture: 'x86_64' },
    ]),
    ...amdNames.map((name, index) => ({ name, level: index + 1, architecture: 'x86_64' }) as const),
    { name: 'IBM POWER8', level: 1, architecture: 'ppc64' },
    { name: 'IBM POWER9', level: 2, architecture: 'ppc64' },
    ...(generations > 10
      ? [{ name: 'IBM POWER10', level: 3, architecture: 'ppc64' } as const]
      : []),
    ...mainframes(1),
  ];
}

function mainframes(first: number): ProcessorType[] {
  return ['IBM z114, z196', 'IBM zBC12, zEC12', 'IBM z13s, z13', 'IBM z14'].map((name, index) => ({
    name,
    level: first + index,
    architecture: 's390x',
  }));
}

/** Generations of levels 4.2 and 4.3, each in the order of their mitigations. */
function older(
  names: readonly string[],
  suffixes: readonly string[],
  first: number,
): ProcessorType[] {
  return names.flatMap((name, index) =>
    suffixes.map(
      (suffix, step): ProcessorType => ({
        name: `Intel ${name}${suffix} Family`,
        level: first + index * suffixes.length + step,
        architecture: 'x86_64',
      }),
    ),
  );
}

const olderNames = [
  'Westmere',
  'SandyBridge',
  'Haswell-noTSX',
  'Haswell',
  'Broadwell-noTSX',
  'Broadwell',
  'Skylake Client',
];

export const clusterLevels: Readonly<Record<string, readonly ProcessorType[]>> = {
  '4.2': [
    { name: 'Intel Conroe Family', level: 3, architecture: 'x86_64' },
    { name: 'Intel Penryn Family', level: 4, architecture: 'x86_64' },
    ...older(['Nehalem', ...olderNames], ['', ' IBRS', ' IBRS SSBD', ' IBRS SSBD MDS'], 5),
    ...['G1', 'G2', 'G3', 'G4', 'G5'].map(
      (name, index) =>
        ({ name: `AMD Opteron ${name}`, level: index + 2, architecture: 'x86_64' }) as const,
    ),
    { name: 'IBM POWER8', level: 3, architecture: 'ppc64' },
  ],
  '4.3': [
    { name: 'Intel Nehalem Family', level: 5, architecture: 'x86_64' },
    { name: 'Intel Nehalem IBRS SSBD Family', level: 7, architecture: 'x86_64' },
    { name: 'Intel Nehalem IBRS SSBD MDS Family', level: 8, architecture: 'x86_64' },
    ...older([...olderNames, 'Skylake Server'], ['', ' IBRS SSBD', ' IBRS SSBD MDS'], 9),
    { name: 'AMD Opteron G4', level: 5, architecture: 'x86_64' },
    { name: 'AMD Opteron G5', level: 6, architecture: 'x86_64' },
    { name: 'AMD EPYC', level: 7, architecture: 'x86_64' },
    { name: 'AMD EPYC IBPB SSBD', level: 9, architecture: 'x86_64' },
    { name: 'IBM POWER8', level: 3, architecture: 'ppc64' },
    { name: 'IBM POWER9', level: 4, architecture: 'ppc64' },
    ...mainframes(2),
  ],
  '4.4': modern(9, amd),
  '4.5': modern(10, amd),
  '4.6': modern(10, amd),
  '4.7': modern(10, amd),
  '4.8': modern(11, [...amd, ...amdOf48]),
};

/** Compatibility levels in the order in which engines list them. */
export const levelsAsListed = ['4.2', '4.7', '4.8', '4.6', '4.5', '4.4', '4.3'] as const;
