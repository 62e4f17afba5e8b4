/** Operating systems of VMs, as engines describe them, and their former names. */

/**
 * Hardware limits of a system: `i440fx` runs only on that chipset, `insecure` without secure boot,
 * `vga` with VNC only on a VGA device.
 */
type Limit = 'i440fx' | 'insecure' | 'vga';

/** Systems in the order in which engines list them. */
export const operatingSystems: readonly (readonly [
  id: string,
  word: string,
  label: string,
  architecture: 'x86_64' | 'ppc64' | 's390x',
  tpm: 'supported' | 'unsupported' | 'required',
  ...limits: Limit[],
])[] = [
  ['0', 'other', 'Other OS', 'x86_64', 'unsupported'],
  ['1', 'windows_xp', 'Windows XP', 'x86_64', 'unsupported', 'i440fx'],
  ['3', 'windows_2003', 'Windows 2003', 'x86_64', 'unsupported', 'i440fx'],
  ['4', 'windows_2008', 'Windows 2008', 'x86_64', 'unsupported'],
  ['5', 'other_linux', 'Other Linux', 'x86_64', 'unsupported'],
  ['7', 'rhel_5', 'Red Hat Enterprise Linux 5.x', 'x86_64', 'unsupported', 'i440fx'],
  ['8', 'rhel_4', 'Red Hat Enterprise Linux 4.x', 'x86_64', 'unsupported', 'i440fx'],
  ['9', 'rhel_3', 'Red Hat Enterprise Linux 3.x', 'x86_64', 'unsupported', 'i440fx'],
  ['10', 'windows_2003x64', 'Windows 2003 x64', 'x86_64', 'unsupported', 'i440fx'],
  ['11', 'windows_7', 'Windows 7', 'x86_64', 'unsupported', 'insecure'],
  ['12', 'windows_7x64', 'Windows 7 x64', 'x86_64', 'unsupported', 'insecure'],
  ['13', 'rhel_5x64', 'Red Hat Enterprise Linux 5.x x64', 'x86_64', 'unsupported', 'i440fx'],
  ['14', 'rhel_4x64', 'Red Hat Enterprise Linux 4.x x64', 'x86_64', 'unsupported', 'i440fx'],
  ['15', 'rhel_3x64', 'Red Hat Enterprise Linux 3.x x64', 'x86_64', 'unsupported', 'i440fx'],
  ['16', 'windows_2008x64', 'Windows 2008 x64', 'x86_64', 'unsupported'],
  ['17', 'windows_2008R2x64', 'Windows 2008 R2 x64', 'x86_64', 'unsupported'],
  ['18', 'rhel_6', 'Red Hat Enterprise Linux 6.x', 'x86_64', 'unsupported'],
  ['19', 'rhel_6x64', 'Red Hat Enterprise Linux 6.x x64', 'x86_64', 'unsupported'],
  ['1300', 'debian_7', 'Debian 7', 'x86_64', 'unsupported'],
  ['20', 'windows_8', 'Windows 8', 'x86_64', 'supported'],
  ['1301', 'debian_9', 'Debian 9', 'x86_64', 'unsupported'],
  ['21', 'windows_8x64', 'Windows 8 x64', 'x86_64', 'supported'],
  ['23', 'windows_2012x64', 'Windows 2012 x64', 'x86_64', 'supported'],
  ['24', 'rhel_7x64', 'Red Hat Enterprise Linux 7.x x64', 'x86_64', 'supported'],
  ['25', 'windows_2012R2x64', 'Windows 2012 R2 x64', 'x86_64', 'supported'],
  ['26', 'windows_10', 'Windows 10', 'x86_64', 'supported'],
  ['27', 'windows_10x64', 'Windows 10 x64', 'x86_64', 'supported'],
  ['28', 'rhel_atomic7x64', 'Red Hat Enterprise Linux Atomic Host 7.x x64', 'x86_64', 'supported'],
  ['29', 'windows_2016x64', 'Windows 2016 x64', 'x86_64', 'supported'],
  ['30', 'rhel_8x64', 'Red Hat Enterprise Linux 8.x x64', 'x86_64', 'supported'],
  ['31', 'windows_2019x64', 'Windows 2019 x64', 'x86_64', 'supported'],
  ['33', 'other_linux_kernel_4', 'Other Linux (kernel 4.x)', 'x86_64', 'supported'],
  ['34', 'rhel_9x64', 'Red Hat Enterprise Linux 9.x x64', 'x86_64', 'supported'],
  ['35', 'rhcos_x64', 'Red Hat Enterprise Linux CoreOS', 'x86_64', 'supported'],
  ['36', 'windows_11', 'Windows 11', 'x86_64', 'required'],
  ['37', 'windows_2022', 'Windows 2022', 'x86_64', 'supported'],
  ['38', 'windows_2025', 'Windows 2025', 'x86_64', 'supported'],
  ['39', 'rhel_10x64', 'Red Hat Enterprise Linux 10.x x64', 'x86_64', 'supported'],
  ['1193', 'sles_11', 'SUSE Linux Enterprise Server 11', 'x86_64', 'unsupported'],
  ['2001', 'other_s390x', 'Other OS', 's390x', 'unsupported'],
  ['2002', 'other_linux_s390x', 'Other Linux', 's390x', 'unsupported'],
  ['2003', 'rhel_7_s390x', 'Red Hat Enterprise Linux 7.x', 's390x', 'supported'],
  ['2004', 'sles_12_s390x', 'SUSE Linux Enterprise Server 12', 's390x', 'unsupported'],
  ['2005', 'ubuntu_16_04_s390x', 'Ubuntu 16.04', 's390x', 'unsupported'],
  ['1500', 'freebsd', 'FreeBSD', 'x86_64', 'unsupported'],
  ['1501', 'freebsdx64', 'FreeBSD x64', 'x86_64', 'unsupported'],
  ['1252', 'ubuntu_12_04', 'Ubuntu 12.04', 'x86_64', 'unsupported'],
  ['1253', 'ubuntu_12_10', 'Ubuntu 12.10', 'x86_64', 'unsupported'],
  ['1254', 'ubuntu_13_04', 'Ubuntu 13.04', 'x86_64', 'unsupported'],
  ['1255', 'ubuntu_13_10', 'Ubuntu 13.10', 'x86_64', 'unsupported'],
  ['1256', 'ubuntu_14_04', 'Ubuntu 14.04', 'x86_64', 'unsupported'],
  ['1001', 'other_ppc64', 'Other OS', 'ppc64', 'unsupported', 'vga'],
  ['1257', 'ubuntu_18_04', 'Ubuntu 18.04', 'x86_64', 'unsupported'],
  ['1002', 'other_linux_ppc64', 'Other Linux', 'ppc64', 'unsupported', 'vga'],
  ['1003', 'rhel_6_ppc64', 'Red Hat Enterprise Linux 6.x', 'ppc64', 'unsupported', 'vga'],
  ['1004', 'sles_11_ppc64', 'SUSE Linux Enterprise Server 11', 'ppc64', 'unsupported', 'vga'],
  ['1005', 'ubuntu_14_04_ppc64', 'Ubuntu 14.04', 'ppc64', 'unsupported', 'vga'],
  ['1006', 'rhel_7_ppc64', 'Red Hat Enterprise Linux 7.x', 'ppc64', 'supported', 'vga'],
  ['1007', 'rhel_6_9_plus_ppc64', 'Red Hat Enterprise Linux 6.x', 'ppc64', 'unsupported', 'vga'],
  ['1008', 'rhel_8_ppc64', 'Red Hat Enterprise Linux 8.x', 'ppc64', 'supported', 'vga'],
  ['1009', 'rhel_9_ppc64', 'Red Hat Enterprise Linux 9.x', 'ppc64', 'supported', 'vga'],
];

const byWord = new Map(operatingSystems.map((system) => [system[1], system]));

/** System by its name in the API. `undefined` if engines do not know it. */
export function operatingSystem(word: string) {
  return byWord.get(word);
}

/** Whether a system has a limit. Unknown systems have none. */
export function isLimited(word: string | undefined, limit: Limit): boolean {
  const limits = byWord.get(word ?? '')?.slice(5) ?? [];
  return limits.includes(limit);
}

/** Former names, which requests and OVF documents can contain. Responses never do. */
const legacyWords: Readonly<Record<string, string>> = {
  Unassigned: 'other',
  Other: 'other',
  OtherLinux: 'other_linux',
  REHL3: 'rhel_3',
  RHEL3x64: 'rhel_3x64',
  RHEL4: 'rhel_4',
  RHEL4x64: 'rhel_4x64',
  RHEL5: 'rhel_5',
  RHEL5x64: 'rhel_5x64',
  RHEL6: 'rhel_6',
  RHEL6x64: 'rhel_6x64',
  WindowsXP: 'windows_xp',
  Windows2003: 'windows_2003',
  Windows2008: 'windows_2008',
  Windows2003x64: 'windows_2003x64',
  Windows7: 'windows_7',
  Windows7x64: 'windows_7x64',
  Windows2008x64: 'windows_2008x64',
  Windows2008R2x64: 'windows_2008R2x64',
  Windows8: 'windows_8',
  Windows8x64: 'windows_8x64',
  Windows2012x64: 'windows_2012x64',
};

/** Name of a system by its present or former name. `undefined` for an unknown one. */
export function systemNamed(word: string): string | undefined {
  if (byWord.has(word)) return word;
  return Object.hasOwn(legacyWords, word) ? legacyWords[word] : undefined;
}
