/** `vmctl vms export-ova`: writes a VM to a local archive, with its disks as qcow2 images. */

import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { explainFailure } from '../../cli/commands/disks/transfer-failure.ts';
import {
  createTransferOptions,
  type TransferFlags,
} from '../../cli/commands/disks/transfer-options.ts';
import { TransferProgress } from '../../cli/commands/disks/transfer-progress.ts';
import { readConfigurationDocument } from '../../cli/commands/vms/configuration-document.ts';
import { formatBytes } from '../../cli/output/cells.ts';
import { getFormat, isTable, printView } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { Client } from '../../client/client.ts';
import { ConflictError, NotFoundError, UsageError } from '../../client/errors.ts';
import { clusterSize, Qcow2Writer } from '../../formats/qcow2.ts';
import { tarEnd, tarHeader, tarPadding } from '../../formats/tar.ts';
import type { Resource } from '../../model/resource.ts';
import type { OvfDisk } from '../../ovf/document.ts';
import { readOvf } from '../../ovf/read.ts';
import { downloadToStream, PartialFile } from '../../transfer/index.ts';
import { type ArchivedImage, describeImages } from './disk-elements.ts';

export interface ExportFlags extends TransferFlags {
  readonly force?: boolean;
}

/** Size of a tar header in bytes. */
const headerSize = 512;
/** Maximum growth of the document per disk, in bytes, after file sizes are inserted. */
const growthBytes = 512;

/** Exports a VM to a file. Removes the file if the export fails. */
export async function exportOva(
  cli: CommandContext,
  word: string,
  path: string,
  flags: ExportFlags,
): Promise<void> {
  getFormat(cli);
  if (path === '-') {
    throw new UsageError('an archive cannot be written to standard output', {
      hint: 'use a file; ./- is a file named -',
    });
  }
  const client = await cli.client();
  const runner = await OperationRunner.create(cli, {});
  const vm = await runner.find(word, '/vms');
  const document = await readDocument(runner, vm.id, vm.label);
  const disks = await listDisks(runner, vm.id, document);
  const file = await PartialFile.create(path, flags.force === true, 'remove it, or use --force');
  let isWhole = false;
  try {
    const archive = new Archive({ cli, client, flags, file });
    const images = await archive.write(document, disks);
    isWhole = true;
    await file.finish();
    const size = images.reduce((sum, image) => sum + image.size, 0);
    if (isTable(getFormat(cli))) {
      const count = `${disks.length} disk${disks.length === 1 ? '' : 's'}`;
      cli.note(`${vm.label} exported to ${path}: ${count}, ${formatBytes(size)}`);
      return;
    }
    const shown = disks.map(({ name }, index) => ({ name, ...images[index] }));
    const item = { id: vm.id, file: file.target, disks: shown };
    await printView(cli, { noun: 'vms', items: [item], single: true });
  } catch (error) {
    await (isWhole ? file.close() : file.remove()).catch(() => undefined);
    throw error;
  }
}

/** OVF document of the VM, in the layout of archives. */
async function readDocument(runner: OperationRunner, vm: string, label: string): Promise<string> {
  const text = await readConfigurationDocument(runner, vm, 'ova');
  if (text !== undefined) return text;
  throw new NotFoundError(`the service returns no configuration of ${label}`, {
    code: 'no_document',
    hint: 'older services have no OVF documents; vmctl disks download downloads the disks',
  });
}

interface ExportedDisk {
  readonly name: string;
  readonly disk: Resource<'disk'>;
  readonly inDocument: OvfDisk;
}

/** Disks of the document. Throws if a disk is missing or not in state `ok`. */
async function listDisks(
  runner: OperationRunner,
  vm: string,
  document: string,
): Promise<readonly ExportedDisk[]> {
  const attachments = await runner.list({
    path: '/vms/{vm}/diskattachments',
    ids: { vm },
    follow: 'disk',
  });
  const known = new Map(attachments.map((one) => [String(one.id), one.disk]));
  return readOvf(document).disks.map((inDocument) => {
    const disk = known.get(inDocument.id);
    const name = String(disk?.alias ?? disk?.name ?? inDocument.id);
    const status = String(disk?.status ?? 'ok');
    if (!disk) {
      throw new NotFoundError(`disk ${name} is in the configuration but not attached`, {
        code: 'no_disk',
      });
    }
    if (status === 'ok') return { name, disk, inDocument };
    throw new ConflictError(`disk ${name} is ${status}`, {
      code: 'wrong_state',
      hint: 'wait until it is ok',
    });
  });
}

interface ArchiveContext {
  readonly cli: CommandContext;
  readonly client: Client;
  readonly flags: ExportFlags;
  readonly file: PartialFile;
}

class Archive {
  readonly #parts: ArchiveContext;
  readonly #time = new Date();
  /** Offset of the next file. */
  #end = 0;

  constructor(parts: ArchiveContext) {
    this.#parts = parts;
  }

  async write(document: string, disks: readonly ExportedDisk[]): Promise<readonly ArchivedImage[]> {
    // The document comes first in the archive and contains the sizes of the images, so space is
    // reserved and it is written last.
    const room = Buffer.byteLength(document) + growthBytes * (1 + disks.length);
    this.#end = headerSize + room + tarPadding(room).length;
    const images: ArchivedImage[] = [];
    for (const disk of disks) images.push(await this.#writeImage(disk));
    const { file } = this.#parts;
    await file.writeNamed(this.#end, tarEnd());
    const text = Buffer.from(describeImages(document, images));
    if (text.length > room) throw new Error('The document exceeds its reserved space.');
    const padded = Buffer.alloc(room, '\n');
    text.copy(padded);
    await file.writeNamed(0, tarHeader('vm.ovf', room, this.#time));
    await file.writeNamed(headerSize, padded);
    return images;
  }

  async #writeImage({ name, disk, inDocument }: ExportedDisk): Promise<ArchivedImage> {
    const { cli, client, flags, file } = this.#parts;
    const begin = this.#end + headerSize;
    const size = inDocument.provisionedSize;
    const writer = new Qcow2Writer((offset, bytes) => file.writeNamed(begin + offset, bytes), size);
    const progress = new TransferProgress(cli, name);
    try {
      const options = await createTransferOptions(cli, client, flags, progress);
      const out = createClusterStream(writer);
      // `finished` and the writer report the error; without a listener the process would exit.
      out.on('error', () => undefined);
      const done = await downloadToStream({ ...options, disk, guestData: true, out });
      out.end();
      await finished(out);
      if (done.size !== size) {
        throw new UsageError(`disk ${name} has ${done.size} bytes, its configuration ${size}`);
      }
    } catch (error) {
      throw explainFailure(cli, error, () => '');
    } finally {
      progress.clear();
    }
    const length = await writer.finish(3);
    const reference = inDocument.file ?? inDocument.imageId;
    await file.writeNamed(this.#end, tarHeader(reference, length, this.#time));
    await file.writeNamed(begin + length, tarPadding(length));
    this.#end = begin + length + tarPadding(length).length;
    return { disk: inDocument.id, reference: inDocument.imageId, size: length };
  }
}

/** Stream that splits its input into qcow2 clusters. */
function createClusterStream(writer: Qcow2Writer): Writable {
  let offset = 0;
  let rest = Buffer.alloc(0);
  const add = async (bytes: Buffer) => {
    await writer.add({ offset, bytes });
    offset += bytes.length;
  };
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      const take = async () => {
        let at = 0;
        if (rest.length > 0) {
          at = Math.min(clusterSize - rest.length, chunk.length);
          rest = Buffer.concat([rest, chunk.subarray(0, at)]);
          if (rest.length < clusterSize) return;
          await add(rest);
          rest = Buffer.alloc(0);
        }
        for (; chunk.length - at >= clusterSize; at += clusterSize) {
          await add(chunk.subarray(at, at + clusterSize));
        }
        rest = Buffer.from(chunk.subarray(at));
      };
      take().then(() => done(), done);
    },
    final(done) {
      const last = rest.length > 0 ? add(rest) : Promise.resolve();
      last.then(() => done(), done);
    },
  });
}
