// Checks an executable for Windows: its format, no signature, and the embedded program. Its manifest must
// name the native code of Windows.
//
//   node scripts/package/check-windows-executable.js FILE
import { readFileSync } from 'node:fs';
import { removeSignature } from './windows-signature.js';

const bytes = readFileSync(process.argv[2]);
const problems = [
  [removeSignature(bytes).length !== bytes.length, 'it has a signature'],
  // Node reads the embedded program if the fuse ends with 1.
  [
    !bytes.includes('NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:1'),
    'the program is not active',
  ],
  // Names of resources are UTF-16.
  [!bytes.includes(Buffer.from('NODE_SEA_BLOB', 'utf16le')), 'the program is missing'],
  [!bytes.includes('prebuilds/win32-x64/keytar.node'), 'keytar for Windows is missing'],
].flatMap(([isWrong, problem]) => (isWrong ? [problem] : []));
if (problems.length > 0) throw new Error(`${process.argv[2]}: ${problems.join(', ')}`);
