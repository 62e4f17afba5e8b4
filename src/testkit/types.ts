/** What tests are given by `vmctl/testkit`. Needs nothing else, as it is published like this. */

export interface TestServerOptions {
  /** What it holds: `empty`, `small` (the default), `hosts=10,vms=1000,...` or a file. */
  readonly inventory?: string;
  /** How it speaks on the wire; `standard` by default. */
  readonly dialect?: 'standard' | 'ovirt';
  /** Factor on the duration of transitions; 0, the default: they happen at once. */
  readonly speed?: number;
  /** Makes ids and variation the same each time. */
  readonly seed?: number;
  /** Rules by which requests fail: `operation=start,times=1`, or the same as an object. */
  readonly faults?: readonly (string | Readonly<Record<string, unknown>>)[];
  /** Login name of the administrator; `admin@internal` by default. */
  readonly admin?: string;
  /** Password of the administrator and of the sample users; made up by default. */
  readonly password?: string;
  /** Where notes of the server go, a line each; nowhere by default. */
  readonly log?: (line: string) => void;
}

export interface TestServer {
  /** `https://127.0.0.1:PORT/virt-app`, as `VMCTL_URL` has it. */
  readonly url: string;
  /** `url` and `/api`. */
  readonly apiUrl: string;
  readonly username: string;
  readonly password: string;
  /** File with the certificate authority that signed the certificate, PEM. */
  readonly caFile: string;
  /** What is in that file. */
  readonly ca: string;
  /** `VMCTL_*` variables for a command that shall use the server. */
  readonly env: Readonly<Record<string, string>>;
  /** Finishes what is in flight, and stops. May be called more than once. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
