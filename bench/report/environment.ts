/** The environment of what is measured: without variables that make one side of a ratio look better. */

/**
 * Variables that change how Node starts (`NODE_EXTRA_CA_CERTS` makes it three times slower, which hides
 * what a command adds), what is loaded into every process, which way requests go, or what our
 * commands do. `NODE_PATH` and the like are covered by the prefix.
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

/** The environment that is left, and the names of what was removed, in order. Values are never shown. */
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
