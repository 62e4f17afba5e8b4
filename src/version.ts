/** Version of vmctl in package.json. */
import manifest from '../package.json' with { type: 'json' };

export const version: string = manifest.version;

/** Version of the service, in the form of the product. */
export const serviceVersion = `4.5.${version.split('.').slice(0, 2).join('.')}-vmctl-${version}`;
