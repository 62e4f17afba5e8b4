/** Test bench of an upload: a file, a daemon, a service, and their state. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { BLOCK } from '../../../src/transfer/blocks.ts';
import {
  FileSource,
  Journal,
  TransferAborted,
  type TransferEvent,
  type UploadOptions,
  upload,
} from '../../../src/transfer/index.ts';
import { FakeDaemon } from './fake-daemon.ts';
import { FakeService } from './fake-service.ts';
import { makeImage } from './images.ts';

/** Blocks and bytes of the image: more than a window, with a short last block. */
export const blocks = 18;
export const size = blocks * BLOCK - 5 * 512;

export const newDisk = { add: { name: 'new', storageDomain: 'domain', onBlockStorage: false } };

export class UploadBench {
  readonly folder: string;
  readonly file: string;
  readonly daemon: FakeDaemon;
  readonly service: FakeService;
  readonly events: TransferEvent[] = [];
  readonly notes: string[] = [];
  stop = new AbortController();
  #source: FileSource;

  private constructor(
    folder: string,
    daemon: FakeDaemon,
    service: FakeService,
    source: FileSource,
  ) {
    this.folder = folder;
    this.file = source.path;
    this.daemon = daemon;
    this.service = service;
    this.#source = source;
  }

  static async make(): Promise<UploadBench> {
    const folder = mkdtempSync(join(tmpdir(), 'vmctl-upload-'));
    const file = join(folder, 'image');
    makeImage(file, size);
    const daemon = await FakeDaemon.start(size);
    const service = await FakeService.start(daemon);
    return new UploadBench(folder, daemon, service, await FileSource.open(file));
  }

  async remove(): Promise<void> {
    await this.#source.close();
    await this.service.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Replaces the file by another image. */
  async image(length: number, runs: readonly (readonly [number, number])[]): Promise<void> {
    await this.#source.close();
    makeImage(this.file, length, runs);
    this.#source = await FileSource.open(this.file);
  }

  /** Fills the storage with content of an earlier disk. */
  fillWithOldData(): void {
    this.daemon.current.fill(7);
    this.daemon.stable.fill(7);
  }

  options(more: Partial<UploadOptions> = {}): UploadOptions {
    return {
      client: this.service.client,
      server: 'https://service',
      journals: join(this.folder, 'journals'),
      parallel: 4,
      verify: true,
      retries: 5,
      signal: this.stop.signal,
      onEvent: (event) => this.events.push(event),
      onNote: (note) => this.notes.push(note),
      source: this.#source,
      into: newDisk,
      ...more,
    };
  }

  /** Error of an upload that must fail. */
  async failure(more: Partial<UploadOptions> = {}): Promise<TransferAborted> {
    const error = await upload(this.options(more)).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof TransferAborted) return error;
    throw error ?? new Error('The upload did not fail.');
  }

  /** Uploads again, without failures. */
  async resume(): Promise<void> {
    this.daemon.fault = () => undefined;
    this.stop = new AbortController();
    await upload(this.options({ into: { resume: this.journal() } }));
  }

  journals(): Journal[] {
    return Journal.find(join(this.folder, 'journals'), () => true);
  }

  journal(): Journal {
    const [found] = this.journals();
    if (!found) throw new Error('No journal exists.');
    return found;
  }

  /** Expects that the durable content of the daemon is the image, followed by zeros. */
  expectStored(): void {
    const image = readFileSync(this.file);
    const { stable } = this.daemon;
    expect(stable.subarray(0, image.length).equals(image)).toBe(true);
    const rest = stable.subarray(image.length);
    expect(rest.equals(Buffer.alloc(rest.length))).toBe(true);
  }
}
