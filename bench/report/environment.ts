/** Environment of measurements, without variables that favor one side of a ratio. */

/**
 * Variables that affect the start of Node (`NODE_EXTRA_CA_CERTS` makes it three times slower, which
 * hides the cost of a command), libraries loaded into every process, proxies, or vmctl itself. The
 * prefix covers `NODE_PATH` and others.
 */
const flattering: readonly RegExp[] = [
  /^NODE_/,
  /^UV_/,
  /^VMCTL_/,
  /^LD_(PRELOAD|AUDIT|BIND_NOW|DEBUG)$/,
  /^SSL_CERT_(FILE|DIR)$/,
  /^OPENSSL_CONF$/,
  /^(https?|all|no)_proxy$/i,
  /^(FORCE_COLOR|NO_COLOR|CLICOLOR|CLICOLOR_FORCE)$/,
  /^CURL_(HOME|CA_BUNDLE|SSL_BACKEND)$/,
  /^MALLOC_/,
];

/** Remaining environment, and names of removed variables, in order. Values are never printed. */
export function withoutFlattery(env: NodeJS.ProcessEnv): {
  readonly env: NodeJS.ProcessEnv;
  readonly removed: readonly string[];
} {
  const entries = Object.entries(env);
  const isFlattering = ([name]: readonly [string, unknown]) =>
    flattering.some((pattern) => pattern.test(name));
  return {
    env: Object.fromEntries(entries.filter((entry) => !isFlattering(entry))),
    removed: entries
      .filter(isFlattering)
      .map(([name]) => name)
      .sort(),
  };
}
