// Replaces unused parts of libraries that would slow each start.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

const http2 = `module.exports = () => { throw new Error('HTTP/2 is not spoken here.'); };`;
const forms = `exports.extractBody = () => { throw new Error('Forms are not sent here.'); };`;
/** The assert module of Node loads object diffs and colours. These assertions never fail. */
const assertions = `
  function assert(value, message) {
    if (!value) throw message instanceof Error ? message : new Error(message ?? 'assertion failed');
  }
  module.exports = Object.assign(assert, {
    ok: assert,
    equal: (a, b, message) => assert(a == b, message),
    strictEqual: (a, b, message) => assert(Object.is(a, b), message),
    notStrictEqual: (a, b, message) => assert(!Object.is(a, b), message),
    fail: (message) => assert(false, message),
  });`;
const childProcess = `exports.spawn = (...args) => require('node:child_process').spawn(...args);`;

/** Tool arguments are validated where they are used, and no request uses a schema. */
const schemas = `export class AjvJsonSchemaValidator {
    getValidator() {
      return (data) => ({ valid: true, data, errorMessage: undefined });
    }
  }
  export { AjvJsonSchemaValidator as n };`;

/** Library files for unused features, and their replacements. */
const standIns = [
  [/undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/, http2],
  [/undici[\\/]lib[\\/]web[\\/]fetch[\\/]body\.js$/, forms],
  [/@modelcontextprotocol[\\/]server[\\/]dist[\\/]ajvProvider-[\w-]+\.mjs$/, schemas],
  [/^\0lean:assert$/, assertions],
  [/^\0lean:child_process$/, childProcess],
];

/** Loads WebAssembly from a separate file: as text in the bundle it would slow each start. */
const parser = /undici[\\/]lib[\\/]llhttp[\\/](llhttp(?:_simd)?)-wasm\.js$/;

/** @param root folder of the project */
export function lean(root) {
  return {
    name: 'lean',
    resolveId(id, importer = '') {
      // The complete undici takes longer to load than a small request. Its parts are loaded
      // individually.
      if (id === 'undici') return join(root, 'src/client/undici-parts.cjs');
      if (id === 'node:assert' && /[\\/]undici[\\/]/.test(importer)) return '\0lean:assert';
      // Commander starts programs only for an unused feature.
      if (id === 'node:child_process' && /[\\/]commander[\\/]/.test(importer)) {
        return '\0lean:child_process';
      }
      return null;
    },
    load(id) {
      const found = standIns.find(([file]) => file.test(id));
      if (found) return { code: found[1], moduleType: 'js' };
      const name = parser.exec(id)?.[1];
      if (name === undefined) return null;
      this.emitFile({ type: 'asset', fileName: `${name}.wasm`, source: require(id) });
      const code = `module.exports = require('node:fs').readFileSync(__dirname + '/../${name}.wasm');`;
      return { code, moduleType: 'js' };
    },
  };
}
