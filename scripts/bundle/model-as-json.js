// Converts the model to JSON: the build evaluates it once, and JSON parses several times faster
// than the declarations run.
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { rolldown } from 'rolldown';

/**
 * Large tables of the model, and tables and pictures that the server derives. Small ones gain
 * nothing.
 */
const tables = new RegExp(
  [
    String.raw`src[\\/]model[\\/](?:derive[\\/](?!collections)\w+|enums|parameters|events|faults)\.ts$`,
    String.raw`src[\\/]server[\\/](?:store[\\/](?:kind-columns|schema-stamp)|core[\\/]icon-pictures)\.ts$`,
  ].join('|'),
);

const entries = fileURLToPath(new URL('../../src/model/entries.ts', import.meta.url));
const imports = `import { createLazyTable } from ${JSON.stringify(entries)};`;

export const modelAsJson = {
  name: 'model-as-json',
  load: {
    filter: { id: tables },
    async handler(path) {
      const constants = Object.entries(await evaluate(path)).map(([name, value]) => {
        const text = JSON.stringify(value);
        if (!isDeepStrictEqual(JSON.parse(text), value)) {
          throw new Error(`${path}: ${name} is no plain data and cannot be kept as JSON`);
        }
        return `export const ${name} = /* @__PURE__ */ ${createExpression(value, text)};`;
      });
      return { code: [imports, ...constants].join('\n'), moduleType: 'js' };
    },
  },
};

/** Large tables parse each entry on first use, because a command needs only a few. */
function createExpression(value, text) {
  if (Array.isArray(value) || text.length < 10_000) return `JSON.parse(${JSON.stringify(text)})`;
  const texts = Object.entries(value).map(([key, entry]) => [key, JSON.stringify(entry)]);
  return `createLazyTable(${JSON.stringify(Object.fromEntries(texts))})`;
}

/** Exports of a module that imports only modules of this project and of Node. */
async function evaluate(path) {
  const bundle = await rolldown({ input: path, platform: 'node' });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  const code = Buffer.from(output[0].code).toString('base64');
  return { ...(await import(`data:text/javascript;base64,${code}`)) };
}
