// Keeps out of the bundle what the command never uses of its libraries, and pays for at each start.
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

const http2 = `module.exports = () => { throw new Error('HTTP/2 is not spoken here.'); };`;
const forms = `exports.extractBody = () => { throw new Error('Forms are not sent here.'); };`;
/** The assertions of Node bring differences of objects, in colours; here they never fail. */
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

/** What a tool is told is checked where it is used; nobody is asked for anything by a schema. */
const schemas = `export class AjvJsonSchemaValidator {
    getValidator() {
      return (data) => ({ valid: true, data, errorMessage: undefined });
    }
  }
  export { AjvJsonSchemaValidator as n };`;

/** Files of libraries for features that are not used, and what stands in for them. */
const standIns = [
  [/undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/, http2],
  [/undici[\\/]lib[\\/]web[\\/]fetch[\\/]body\.js$/, forms],
  [/@modelcontextprotocol[\\/]server[\\/]dist[\\/]ajvProvider-[\w-]+\.mjs$/, schemas],
  [/^\0lean:assert$/, assertions],
  [/^\0lean:child_process$/, childProcess],
];

/** WebAssembly is read from a file of its own: as a text in the bundle it costs time every start. */
const parser = /undici[\\/]lib[\\/]llhttp[\\/](llhttp(?:_simd)?)-wasm\.js$/;

/** @param root the folder of the project */
export function lean(root) {
  return {
    name: 'lean',
    resolveId(id, importer = '') {
      // Loading undici as a whole costs more than a small request does; its parts load alone.
      if (id === 'undici') return join(root, 'src/client/undici-parts.cjs');
      if (id === 'node:assert' && /[\\/]undici[\\/]/.test(importer)) return '\0lean:assert';
      // Commander starts other programs for a feature that is not used.
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
