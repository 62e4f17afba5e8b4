/** The HTTP library by itself, so that it can be loaded when it is needed and not before. */
export { Agent, buildConnector } from 'undici';
