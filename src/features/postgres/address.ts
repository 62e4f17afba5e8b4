/** Database addresses in a form without secrets. */

/** Whether an address is a PostgreSQL URL. */
export function isPostgresAddress(address: string): boolean {
  return /^postgres(?:ql)?:/.test(address);
}

/** Address with its password masked. */
export function maskAddress(address: string): string {
  return address
    .replace(/^(\w+:\/\/[^:/@]*):[^@]*@/, '$1:***@')
    .replace(/([?&]password=)[^&]*/, '$1***');
}
