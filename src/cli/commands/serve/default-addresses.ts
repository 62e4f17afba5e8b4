/** Where servers listen unless a flag says otherwise: on this machine alone. */

/** `host:port` of the API. */
export const apiAddress = '127.0.0.1:8443';
/** `host:port` of the image daemon. */
export const imagesAddress = '127.0.0.1:54322';
/** `host:port` of a server that starts one command: several may run side by side. */
export const freeAddress = '127.0.0.1:0';
