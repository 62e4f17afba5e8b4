/** The version of vmctl, as package.json says it. */
import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;

/** The version of the service, in the form of the product. */
export const serviceVersion = `4.5.${version.split('.').slice(0, 2).join('.')}-vmctl-${version}`;
