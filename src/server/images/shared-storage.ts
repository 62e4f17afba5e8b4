/**
 * Folder of storage shared by several sites, with a folder for each domain, named by its id:
 *
 *     domain.json    the domain, as the writing site had it
 *     attached.json  the site that has it attached; absent without one
 *     contents.json  its contents at the handover
 *     ovf/ID.ovf     the configuration of each VM and template on it
 *     images/ID      the disk images
 */

import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type {
  Claim,
  DomainContents,
  SharedDomain,
  SharedImage,
  SharedStorage,
} from '../core/ports.ts';
import { syncFolder, writeDurably } from '../files/durable-file.ts';
import { systemError } from '../files/system-error.ts';
import { readJson, type StoredObject, writeDocument } from '../store/kinds.ts';
import type { DiskFiles } from './disk-files.ts';

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Format version of `contents.json`. */
const version = 1;

export class StorageFolder implements SharedStorage {
  readonly #folder: string;
  readonly #site: string;
  readonly #images: DiskFiles;

  /** Stores domains in a folder, which is created on demand, for the site with this id. */
  constructor(folder: string, site: string, images: DiskFiles) {
    this.#folder = folder;
    this.#site = site;
    this.#images = images;
  }

  domains(): SharedDomain[] {
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder)
      .filter((name) => uuid.test(name))
      .flatMap((id) => this.domain(id) ?? []);
  }

  domain(id: string): SharedDomain | undefined {
    const domain = readDocument(this.#path(id, 'domain.json'));
    if (!domain) return undefined;
    const holder = readDocument(this.#path(id, 'attached.json'));
    return {
      domain,
      ...(holder && holder['site'] !== this.#site ? { holder: String(holder['name']) } : {}),
      isFree: holder === undefined,
    };
  }

  claim(id: string, domain: StoredObject): Claim {
    mkdirSync(this.#path(id), { recursive: true, mode: 0o700 });
    const own = { site: this.#site, name: `${this.#site} on ${hostname()}` };
    if (!createDurably(this.#path(id, 'attached.json'), JSON.stringify(own))) {
      const holder = readDocument(this.#path(id, 'attached.json'));
      return holder?.['site'] === this.#site ? 'own' : 'refused';
    }
    writeDurably(this.#path(id, 'domain.json'), writeDocument(domain), 0o600);
    syncFolder(this.#folder);
    return 'made';
  }

  disclaim(id: string): void {
    if (this.domain(id)?.holder !== undefined) return;
    rmSync(this.#path(id, 'attached.json'), { force: true });
    syncFolder(this.#path(id));
  }

  contents(id: string): DomainContents | undefined {
    const found = readDocument<DomainContents & { readonly version: number }>(
      this.#path(id, 'contents.json'),
    );
    if (!found) return undefined;
    if (found.version !== version) {
      throw new Error(`${this.#path(id, 'contents.json')} has version ${found.version}.`);
    }
    return found;
  }

  handOver(
    id: string,
    domain: StoredObject,
    contents: DomainContents,
    documents: ReadonlyMap<string, string>,
  ): void {
    if (this.claim(id, domain) === 'refused') {
      throw new Error(`Storage domain ${id} is attached to another site.`);
    }
    for (const image of contents.images) this.#requireWhole(id, image);
    const stored = new Set(contents.images.map((image) => image.id));
    for (const name of namesIn(this.#path(id, 'images'))) {
      if (!stored.has(name)) rmSync(this.#path(id, 'images', name), { force: true });
    }
    rmSync(this.#path(id, 'ovf'), { recursive: true, force: true });
    mkdirSync(this.#path(id, 'ovf'), { mode: 0o700 });
    for (const [name, text] of documents) {
      writeDurably(this.#path(id, 'ovf', `${name}.ovf`), text, 0o600);
    }
    writeDurably(this.#path(id, 'domain.json'), writeDocument(domain), 0o600);
    const written = writeDocument({ version, ...contents });
    writeDurably(this.#path(id, 'contents.json'), written, 0o600);
  }

  async bring(domain: string, { id }: SharedImage): Promise<void> {
    const folder = this.#path(domain, 'images');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await this.#images.linkTo(id, join(folder, id));
    syncFolder(folder);
  }

  async take(domain: string, image: SharedImage): Promise<void> {
    this.#requireWhole(domain, image);
    await this.#images.linkFrom(this.#path(domain, 'images', image.id), image.id);
  }

  taken(id: string): void {
    rmSync(this.#path(id, 'contents.json'), { force: true });
    for (const part of ['images', 'ovf']) {
      rmSync(this.#path(id, part), { recursive: true, force: true });
    }
  }

  erase(id: string): void {
    const found = this.domain(id);
    if (found?.holder === undefined) rmSync(this.#path(id), { recursive: true, force: true });
  }

  #requireWhole(domain: string, { id, length }: SharedImage): void {
    const path = this.#path(domain, 'images', id);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) throw new Error(`${path} is missing.`);
    if (found.size < length) throw new Error(`${path} is shorter than ${length} bytes.`);
  }

  #path(id: string, ...parts: readonly string[]): string {
    if (!uuid.test(id)) throw new Error(`"${id}" is not a storage domain id.`);
    return join(this.#folder, id, ...parts);
  }
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Parses a document of this format, written by any site. */
function readDocument<T = StoredObject>(path: string): T | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return readJson(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`cannot read "${path}": ${String(error)}`, { cause: error });
  }
}

/**
 * Creates a file with its complete text atomically; false if it already exists. Only one of two
 * concurrent sites succeeds, and no reader sees a partial file.
 */
function createDurably(path: string, text: string): boolean {
  const draft = `${path}.${process.pid}`;
  try {
    const file = openSync(draft, 'w', 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    linkSync(draft, path);
  } catch (error) {
    if (systemError(error).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(join(path, '..'));
  return true;
}
