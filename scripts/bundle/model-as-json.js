// The model is plain data. The build evaluates it once, and the bundle holds it as JSON, which is
// read several times faster than the declarations that it was made from.
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { rolldown } from 'rolldown';

/** The large tables, and what the server makes of them and draws; small ones are not worth it. */
const tables = new RegExp(
  [
    String.raw`src[\\/]model[\\/](?:derive[\\/](?!collections)\w+|enums|parameters|events|faults)\.ts$`,
    String.raw`src[\\/]server[\\/](?:store[\\/](?:kind-columns|schema-stamp)|core[\\/]icon-pictures)\.ts$`,
  ].join('|'),
);

const entries = fileURLToPath(new URL('../../src/model/entries.ts', import.meta.url));
const imports = `import { entriesOf } from ${JSON.stringify(entries)};`;

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
        return `export const ${name} = /* @__PURE__ */ ${expressionOf(value, text)};`;
      });
      return { code: [imports, ...constants].join('\n'), moduleType: 'js' };
    },
  },
};

/** A table of many entries, of which a command needs a few, reads them one by one. */
function expressionOf(value, text) {
  if (Array.isArray(value) || text.length < 10_000) return `JSON.parse(${JSON.stringify(text)})`;
  const texts = Object.entries(value).map(([key, entry]) => [key, JSON.stringify(entry)]);
  return `entriesOf(${JSON.stringify(Object.fromEntries(texts))})`;
}

/** The exports of a module that needs nothing but other modules of ours and of Node. */
async function evaluate(path) {
  const bundle = await rolldown({ input: path, platform: 'node' });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  const code = Buffer.from(output[0].code).toString('base64');
  return { ...(await import(`data:text/javascript;base64,${code}`)) };
}
