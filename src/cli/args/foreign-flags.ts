/** Flags of other tools, for suggestions. */

/** Flags of vmctl that do the same, in order of preference. */
export const foreignFlags: Readonly<Record<string, readonly string[]>> = {
  cpu: ['cpu-sockets', 'cpu-cores'],
  cpus: ['cpu-sockets', 'cpu-cores'],
  vcpu: ['cpu-sockets', 'cpu-cores'],
  vcpus: ['cpu-sockets', 'cpu-cores'],
  mem: ['memory'],
  ram: ['memory'],
  filter: ['search'],
  selector: ['search'],
  image: ['template', 'disk'],
  net: ['network'],
  nic: ['network'],
  'image-id': ['template'],
  flavor: ['instance-type'],
  project: ['data-center'],
  namespace: ['data-center'],
  format: ['output'],
};
