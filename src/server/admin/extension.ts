/** Interface for features that extend the server. */
import type { ApiResponse, ClientConnection } from '../api/request.ts';
import type { Hypervisor } from '../core/hypervisor.ts';
import type { RequestInterceptor } from '../core/interceptor.ts';
import type { ServerOptions } from '../core/options.ts';
import type { Store } from '../store/store.ts';

export interface AdminRequest {
  readonly method: string;
  /** Path below `/_vmctl/`. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly header: (name: string) => string | undefined;
  readonly body: () => Promise<Uint8Array>;
  readonly address: string;
  readonly connection: ClientConnection;
}

/** Result of an endpoint that has created something (status 201). */
export class Created {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** Returns the JSON document of the response. `rest` is the path after the first segment. */
export type Endpoint = (request: AdminRequest, rest: string) => Promise<unknown>;

/** Values of a server that its pages contain. */
export interface PageSettings {
  /** Path of the application: `/virt-app`. */
  readonly appRoot: string;
  /** OAuth scope of a sign-in. */
  readonly scope: string;
}

export interface ServerExtension {
  /** Endpoints below `/_vmctl` for administrators, by first segment and method. */
  readonly endpoints?: Readonly<Record<string, Readonly<Record<string, Endpoint>>>>;
  /** Returns a file below `/_vmctl` that needs no sign-in; undefined for other paths. */
  readonly page?: (path: string, settings: PageSettings) => ApiResponse | undefined;
  readonly interceptor?: RequestInterceptor;
  /** Called by `POST /_vmctl/reset`. */
  readonly reset?: () => Promise<unknown>;
}

/** Parts of a server that an extension uses. */
export interface ExtendedServer {
  /** Absent in a server without a store. */
  readonly store?: Store;
  readonly random: () => number;
  /** Whether this is the first server of the store. */
  readonly isFirst: boolean;
}

export type CreateServerExtension = (server: ExtendedServer) => Promise<ServerExtension>;

/** Address and certificate of servers of consoles. */
export interface ConsoleSettings {
  readonly host: string;
  /** PEM of the key and the certificate. */
  readonly key: string;
  readonly certificate: string;
}

/** Parts of a server that a hypervisor uses. */
export interface HypervisorParts {
  /** Absent if the server offers no consoles. */
  readonly consoles?: ConsoleSettings;
  /** Private folder of the hypervisor. */
  readonly folder: string;
  /** Folder of ISO images. */
  readonly isoFolder: string;
  /** Image files of disks. Sizes in bytes. */
  readonly images: {
    path(id: string): string;
    toRead(id: string, size: number): Promise<void>;
    toWrite(id: string, size: number): Promise<void>;
    ensureQcow2(id: string, size: number, version: 2 | 3): Promise<void>;
    /** Stores the writes of a period of a disk, all or none; undefined if they are unknown. */
    recordWrites(
      period: { readonly id: string; readonly size: number },
      ranges: readonly { readonly start: number; readonly length: number }[] | undefined,
    ): Promise<void>;
  };
}

/** Options of a server, with parts of features. */
export interface ExtendedOptions extends ServerOptions {
  /** Creates the hypervisor; undefined if timers simulate the VMs. */
  readonly hypervisor?: ((parts: HypervisorParts) => Hypervisor) | undefined;
  readonly extensions?: readonly CreateServerExtension[] | undefined;
}

/** Creates the extensions one after the other: each may write to the store. */
export async function createExtensions(
  { extensions = [] }: Pick<ExtendedOptions, 'extensions'>,
  server: ExtendedServer,
): Promise<readonly ServerExtension[]> {
  const created: ServerExtension[] = [];
  for (const create of extensions) created.push(await create(server));
  return created;
}
