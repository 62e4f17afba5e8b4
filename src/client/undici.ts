/** The HTTP library as the client side uses it, in one module that is loaded when it is needed. */
export { Agent, Client, type Dispatcher, errors } from 'undici';
