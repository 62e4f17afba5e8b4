/** Fuzz targets: all readers of foreign files and documents. */
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDefinition } from '../../src/definitions/document.ts';
import { listDefinitionEntries } from '../../src/definitions/entries.ts';
import { parseYaml, TextError } from '../../src/definitions/yaml-text.ts';
import { detectForeignImage, isListOfFiles } from '../../src/formats/foreign-images.ts';
import { FormatError } from '../../src/formats/format-error.ts';
import { detectImageFormat } from '../../src/formats/image-head.ts';
import { checkImage, readParts, readVirtualSize } from '../../src/formats/qcow2.ts';
import { isComplete } from '../../src/formats/qcow2-completeness.ts';
import { tarEntries } from '../../src/formats/tar.ts';
import { OvfError } from '../../src/ovf/document.ts';
import { readOvf } from '../../src/ovf/read.ts';
import { parseSearch, SearchError } from '../../src/search/index.ts';
import {
  decodeAction,
  decodeFault,
  decodeList,
  decodeObject,
  type MediaType,
  WireError,
} from '../../src/wire/index.ts';
import { createArchive, hostileArchives } from '../support/hostile-archives.ts';
import { hostileImages } from '../support/hostile-images.ts';
import {
  definitionExample,
  jsonExamples,
  ovfExamples,
  searchExamples,
  xmlExamples,
} from './examples.ts';
import type { Material } from './mutate.ts';

export interface Target extends Material {
  readonly doc: string;
  /** Reads an input. */
  readonly run: (input: Buffer) => unknown;
  /** Whether an error is a regular refusal of a bad input; any other error is a crash. */
  readonly isExpected: (error: Error) => boolean;
  /** Runs only if named: it fails on purpose, for the test of the fuzzer. */
  readonly isPlanted?: boolean;
}

const texts = (list: readonly string[]) => list.map((text) => Buffer.from(text));

/** An open file in memory, with the methods that image readers use. */
function createFile(input: Buffer): FileHandle {
  const file = {
    stat: async () => ({ size: input.length }),
    read: async (buffer: Buffer, offset: number, length: number, position: number) => ({
      bytesRead: input.copy(buffer, offset, position, position + length),
      buffer,
    }),
  };
  return file as unknown as FileHandle;
}

/** Maximum disk size for image conversion in bytes. */
const largestDisk = 64 * 2 ** 20;

async function readImage(input: Buffer): Promise<void> {
  const head = input.subarray(0, 512);
  detectImageFormat(head, input.length);
  readVirtualSize(head);
  isListOfFiles(head);
  detectForeignImage(head, input.subarray(-512));
  const readings = [
    () => checkImage(createFile(input)),
    () => isComplete(async (from, length) => input.subarray(from, from + length), input.length),
    async () => {
      let end = 0;
      for await (const { offset, bytes } of readParts(createFile(input), largestDisk)) {
        if (offset < end || offset + bytes.length > largestDisk)
          throw new Error('outside of the disk');
        end = offset + bytes.length;
      }
    },
  ];
  for (const read of readings) {
    await read().catch((error: Error) => {
      if (!(error instanceof FormatError)) throw error;
    });
  }
}

/** Offset in the header, in the tables, or at the start of a cluster. */
function findHotSpot(example: Buffer, random: { below(limit: number): number }): number {
  const cluster = random.below(Math.ceil(example.length / 65_536)) * 65_536;
  return cluster === 0
    ? random.below(112)
    : cluster + 8 * random.below(random.below(4) === 0 ? 8192 : 4);
}

let tarFile: number | undefined;

function readArchive(input: Buffer): void {
  if (tarFile === undefined) {
    const folder = mkdtempSync(join(tmpdir(), 'vmctl-fuzz-'));
    tarFile = openSync(join(folder, 'archive'), 'w+');
    rmSync(folder, { recursive: true });
    process.once('exit', () => closeSync(tarFile ?? 0));
  }
  ftruncateSync(tarFile);
  writeSync(tarFile, input, 0, input.length, 0);
  for (const { offset, size } of tarEntries(tarFile)) {
    const isInside = Number.isSafeInteger(offset) && size >= 0 && offset + size <= input.length;
    if (!isInside) throw new Error('outside of the archive');
  }
}

/** Sets valid checksums in tar headers. */
function mendArchive(input: Buffer): void {
  for (let at = 0; at + 512 <= input.length; at += 512) {
    if (input.toString('latin1', at + 257, at + 262) !== 'ustar') continue;
    const header = input.subarray(at, at + 512);
    header.write(' '.repeat(8), 148, 'latin1');
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  }
}

const types = ['vm', 'disk', 'host', 'network', 'image_transfer', 'template', 'user', 'quota'];

function readBodies(media: MediaType, input: Buffer): void {
  const readings = [
    ...types.map((type) => () => decodeObject(media, input, type)),
    ...['vm', 'disk'].map((type) => () => decodeList(media, input, type)),
    () => decodeAction(media, input),
    () => decodeFault(media, input),
  ];
  for (const read of readings) {
    try {
      read();
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
    }
  }
}

const searched = ['vm', 'host', 'disk', 'event', 'user', 'template', 'network', 'storage_domain'];
const now = new Date('2026-01-01T00:00:00Z');

export const targets: Readonly<Record<string, Target>> = {
  qcow2: {
    doc: 'headers and tables of qcow2 images, and the start of other images',
    examples: Object.values(hostileImages),
    words: ['QFI\u00fb', 'KDMV', 'conectix', '# Disk DescriptorFile'],
    hotSpot: findHotSpot,
    run: readImage,
    isExpected: (error) => error instanceof FormatError,
  },
  tar: {
    doc: 'tar archives, with their extensions',
    examples: [...Object.values(hostileArchives), createArchive(Buffer.alloc(1000), 1000)].map(
      (archive) => archive.subarray(0, 20_480),
    ),
    words: ['ustar', '14 size=-1536\n', '12 path=abc\n', 'GNU.sparse.', '\0', 'x', 'L', 'g', 'S'],
    hotSpot: (example, random) =>
      512 * random.below(Math.ceil(example.length / 512)) + random.below(512),
    mend: mendArchive,
    run: readArchive,
    isExpected: (error) => error instanceof FormatError,
  },
  ovf: {
    doc: 'OVF documents',
    examples: texts(ovfExamples),
    words: [
      '<Item>',
      '</Item>',
      'ovf:capacity="',
      'byte * 2^',
      `$\{property}`,
      '&#x0;',
      ']]>',
      '<![CDATA[',
    ],
    run: (input) => readOvf(input.toString('utf8')),
    isExpected: (error) => error instanceof OvfError,
  },
  json: {
    doc: 'bodies in JSON',
    examples: texts(jsonExamples),
    words: [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\u0000',
      '\\ud800',
      'null',
      'true',
      '__proto__',
      '{"a":',
      '[[',
    ],
    run: (input) => readBodies('application/json', input),
    isExpected: (error) => error instanceof WireError,
  },
  xml: {
    doc: 'bodies in XML',
    examples: texts(xmlExamples),
    words: [
      '<',
      '>',
      '</',
      '/>',
      '<a>',
      '&amp;',
      '&#0;',
      '&lol;',
      '<!DOCTYPE',
      '<![CDATA[',
      '-->',
      '<!--',
      '<?',
      'xmlns:a="',
    ],
    run: (input) => readBodies('application/xml', input),
    isExpected: (error) => error instanceof WireError,
  },
  search: {
    doc: 'searches',
    examples: texts(searchExamples),
    words: [
      'and',
      ' or ',
      'sortby',
      ' desc',
      ' page ',
      '=',
      '!=',
      '<=',
      '"',
      '\\',
      '*',
      '(',
      ')',
      '>',
      'name',
      'cluster.',
    ],
    run(input) {
      for (const type of searched) {
        try {
          parseSearch(input.toString('utf8'), type, now);
        } catch (error) {
          if (!(error instanceof SearchError)) throw error;
        }
      }
    },
    isExpected: (error) => error instanceof SearchError,
  },
  yaml: {
    doc: 'definitions in YAML and JSON',
    examples: texts([definitionExample, ...jsonExamples]),
    words: [
      '- ',
      ': ',
      '&a',
      '*a',
      '<<: ',
      '!!map',
      '|',
      '>',
      '---',
      '? ',
      '~',
      '{',
      '[',
      '%YAML',
      '\t',
      '#',
    ],
    async run(input) {
      const { value, place } = await parseYaml(input.toString('utf8'), 'FILE');
      listDefinitionEntries(readDefinition(value, place));
    },
    // The message for an invalid definition starts with its position.
    isExpected: (error) =>
      error instanceof TextError ||
      (error.constructor === Error && /^FILE:[1-9]\d*:[1-9]\d*: \S/.test(error.message)),
  },
  'planted-crash': planted((input) => {
    if (input.includes('7')) throw new TypeError('a crash');
  }),
  'planted-hang': planted((input) => {
    while (input.includes('7'));
  }),
  'planted-memory': planted((input) => {
    if (input.includes('7')) Buffer.alloc(2 ** 29).fill(1);
  }),
};

function planted(run: Target['run']): Target {
  return {
    doc: 'fails on purpose',
    examples: texts(['1', '22']),
    words: ['7', '3'],
    run,
    isExpected: () => false,
    isPlanted: true,
  };
}
