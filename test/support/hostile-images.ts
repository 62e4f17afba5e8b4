/** Small damaged qcow2 images, named after their faults; `ok-...` are valid. */
import { deflateRawSync } from 'node:zlib';

const cluster = 65_536;

/** Header fields of a qcow2 image, and the following content. */
export interface ImageFields {
  readonly version?: number;
  readonly backing?: string;
  readonly bits?: number;
  readonly size?: bigint;
  readonly crypt?: number;
  readonly l1Entries?: number;
  readonly l1Offset?: bigint;
  readonly refcountOffset?: bigint;
  readonly refcountClusters?: number;
  readonly features?: bigint;
  readonly refcountOrder?: number;
  readonly headerLength?: number;
  /** Content of the L1 table, in the second cluster. */
  readonly l1?: readonly bigint[];
  /** Clusters after the L1 table and the refcount table. */
  readonly rest?: Buffer;
}

/** Image with these fields; by default an empty, valid image of 1 MiB. */
export function qcow2Image(fields: ImageFields = {}): Buffer {
  const { backing = '', l1 = [0n], rest = Buffer.alloc(cluster) } = fields;
  const head = Buffer.alloc(cluster);
  head.writeUInt32BE(0x514649fb, 0);
  head.writeUInt32BE(fields.version ?? 3, 4);
  head.writeBigUInt64BE(backing === '' ? 0n : 0x8000n, 8);
  head.writeUInt32BE(backing.length, 16);
  head.writeUInt32BE(fields.bits ?? 16, 20);
  head.writeBigUInt64BE(fields.size ?? 1n << 20n, 24);
  head.writeUInt32BE(fields.crypt ?? 0, 32);
  head.writeUInt32BE(fields.l1Entries ?? l1.length, 36);
  head.writeBigUInt64BE(fields.l1Offset ?? BigInt(cluster), 40);
  head.writeBigUInt64BE(fields.refcountOffset ?? BigInt(2 * cluster), 48);
  head.writeUInt32BE(fields.refcountClusters ?? 1, 56);
  if ((fields.version ?? 3) === 3) {
    head.writeBigUInt64BE(fields.features ?? 0n, 72);
    head.writeUInt32BE(fields.refcountOrder ?? 4, 96);
    head.writeUInt32BE(fields.headerLength ?? 104, 100);
  }
  head.write(backing, 0x8000, 'latin1');
  return Buffer.concat([head, createTable(l1), Buffer.alloc(cluster), rest]);
}

function createTable(entries: readonly bigint[]): Buffer {
  const table = Buffer.alloc(Math.ceil((entries.length * 8) / cluster) * cluster);
  for (const [index, entry] of entries.entries()) table.writeBigUInt64BE(entry, index * 8);
  return table;
}

const used = 1n << 63n;
const isCompressed = 1n << 62n;
/** First cluster after the tables. */
const third = BigInt(3 * cluster);

/** Image of 64 clusters that share the same compressed bytes. */
function compressedImage(content: Buffer): Buffer {
  const packed = deflateRawSync(content);
  const data = Buffer.concat([packed, Buffer.alloc(cluster - (packed.length % cluster))]);
  const sectors = BigInt(Math.ceil(packed.length / 512) - 1);
  const entry = isCompressed | (sectors << 54n) | (third + BigInt(cluster));
  const rest = Buffer.concat([createTable(Array<bigint>(64).fill(entry)), data]);
  return qcow2Image({ size: BigInt(64 * cluster), l1: [used | third], rest });
}

function withCluster(entry: bigint, fields: ImageFields = {}): Buffer {
  const rest = Buffer.concat([createTable([entry]), Buffer.alloc(cluster, 'data')]);
  return qcow2Image({ l1: [used | third], rest, ...fields });
}

/** All images, by name. */
export const hostileImages: Readonly<Record<string, Buffer>> = {
  'ok-empty': qcow2Image(),
  'ok-version-2': qcow2Image({ version: 2 }),
  'ok-data': withCluster(used | (third + BigInt(cluster))),
  'ok-compressed': compressedImage(Buffer.alloc(cluster, 'x')),
  'version-1': qcow2Image({ version: 1 }),
  'version-4': qcow2Image({ version: 4 }),
  'l1-over-2-gib': qcow2Image({ l1Entries: 0x1ffffff8, size: (1n << 63n) - 1n }),
  'l1-512-mib': qcow2Image({ l1Entries: 2 ** 26, size: 1n << 62n }),
  'l1-after-the-end': qcow2Image({ l1Offset: 1n << 62n }),
  'l1-not-aligned': qcow2Image({ l1Offset: 65_540n }),
  'l1-too-small': qcow2Image({ size: 1n << 40n }),
  'l1-at-the-header': qcow2Image({ l1Offset: 0n }),
  'l1-points-at-itself': qcow2Image({
    size: 4_096n << 29n,
    l1: Array<bigint>(4_096).fill(BigInt(cluster)),
  }),
  'l2-after-the-end': qcow2Image({ l1: [used | (1n << 40n)] }),
  'l2-not-aligned': qcow2Image({ l1: [used | 0x10200n] }),
  'data-after-the-end': withCluster(used | (1n << 40n)),
  'data-not-aligned': withCluster(used | (third + 512n)),
  'zero-flag-in-version-2': withCluster(1n, { version: 2 }),
  'compressed-after-the-end': withCluster(isCompressed | (1n << 40n)),
  'compressed-no-deflate': withCluster(isCompressed | (third + BigInt(cluster))),
  'compressed-too-long': compressedImage(Buffer.alloc(2 ** 26)),
  'compressed-too-short': compressedImage(Buffer.alloc(100, 'x')),
  'cluster-bits-1': qcow2Image({ bits: 1 }),
  'cluster-bits-8': qcow2Image({ bits: 8 }),
  'cluster-bits-22': qcow2Image({ bits: 22 }),
  'cluster-bits-30': qcow2Image({ bits: 30, size: 1n << 40n }),
  'cluster-bits-31': qcow2Image({ bits: 31 }),
  'cluster-bits-60': qcow2Image({ bits: 60 }),
  'virtual-size-2e63': qcow2Image({ size: (1n << 63n) - 1n }),
  'virtual-size-2e64': qcow2Image({ size: (1n << 64n) - 1n }),
  'refcounts-after-the-end': qcow2Image({ refcountOffset: 1n << 40n }),
  'refcounts-too-many': qcow2Image({ refcountClusters: 2 ** 20 }),
  'refcount-order-7': qcow2Image({ refcountOrder: 7 }),
  'header-length-8': qcow2Image({ headerLength: 8 }),
  'backing-file': qcow2Image({ backing: '/etc/passwd' }),
  'external-data-file': qcow2Image({ features: 4n }),
  'unknown-feature': qcow2Image({ features: 1n << 40n }),
  encrypted: qcow2Image({ crypt: 1 }),
  'cut-header': qcow2Image().subarray(0, 90),
  'magic-alone': qcow2Image().subarray(0, 4),
};
