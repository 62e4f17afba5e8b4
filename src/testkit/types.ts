/** Types of `vmctl/testkit`. This file is published and imports no other. */

export interface TestServerOptions {
  /** Inventory: `empty`, `small` (default), `hosts=10,vms=1000,...` or a file. */
  readonly inventory?: string;
  /** Dialect (default `standard`). */
  readonly dialect?: 'standard' | 'ovirt';
  /** Factor of the duration of transitions (default 0: transitions are immediate). */
  readonly speed?: number;
  /** Seed of reproducible ids and variation. */
  readonly seed?: number;
  /** Rules of failing requests: `operation=start,times=1`, or the same as an object. */
  readonly faults?: readonly (string | Readonly<Record<string, unknown>>)[];
  /** Login name of the administrator (default `admin@internal`). */
  readonly admin?: string;
  /** Password of the administrator and of the sample users (default random). */
  readonly password?: string;
  /** Receives the lines of the server log (default: none). */
  readonly log?: (line: string) => void;
}

export interface TestServer {
  /** `https://127.0.0.1:PORT/virt-app`, as in `VMCTL_URL`. */
  readonly url: string;
  /** `url` followed by `/api`. */
  readonly apiUrl: string;
  readonly username: string;
  readonly password: string;
  /** PEM file of the certificate authority that signed the certificate. */
  readonly caFile: string;
  /** Content of this file. */
  readonly ca: string;
  /** `VMCTL_*` variables for commands that use the server. */
  readonly env: Readonly<Record<string, string>>;
  /** Finishes running requests, and stops. Can be called repeatedly. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
