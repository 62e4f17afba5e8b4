/** Default listen addresses, on the loopback interface. */

/** API. */
export const apiAddress = '127.0.0.1:8443';
/** Image daemon. */
export const imagesAddress = '127.0.0.1:54322';
/** Server for one command: port 0, because several may run concurrently. */
export const freeAddress = '127.0.0.1:0';
