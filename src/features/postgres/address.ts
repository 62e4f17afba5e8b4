/** Addresses of databases, as they may be shown. */

/** Whether an address is one of PostgreSQL. */
export function isPostgresAddress(address: string): boolean {
  return /^postgres(?:ql)?:/.test(address);
}

/** The address without its password. */
export function maskedAddress(address: string): string {
  return address
    .replace(/^(\w+:\/\/[^:/@]*):[^@]*@/, '$1:***@')
    .replace(/([?&]password=)[^&]*/, '$1***');
}
