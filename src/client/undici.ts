/** The parts of undici in use, in a module of their own so that they load on demand. */
export { Agent, buildConnector } from 'undici';
