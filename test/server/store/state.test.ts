/** Saved states that cannot be loaded: what is wrong, and in which line. */
import { expect, it } from 'vitest';
import { loadState } from '../../../src/server/store/state.ts';
import { openStore } from '../../../src/server/store/store.ts';

const head = '{"format":"vmctl-state","version":1}';

it.each([
  ['', 'the saved state is empty'],
  ['{}', 'line 1 of the saved state: this is not the state of a vmctl serve'],
  [`${head}\n{"kind":"car","collection":"/cars","object":{}}`, 'line 2 .*no kind .* called car'],
  [`${head}\n{"kind":"api","collection":"/","object":{}}`, 'line 2 .*without an id'],
  [`${head}\n{"kind":"vm","collection":"/vms"}`, 'line 2 of the saved state: it has no object'],
  [`${head}\n{"kind":"vm","collection":"/vms","object":[1]}`, 'line 2 .*it has no object'],
  [`${head}\n{"task":"move","left":0,"target":"x"}`, 'line 2 of the saved state: it has no data'],
  [`${head}\n{"other":1}`, 'line 2 .*neither an object, a counter nor a task'],
])('%j is refused', async (text, message) => {
  const store = await openStore(':memory:');
  await expect(store.write((tx) => loadState(tx, text, 0))).rejects.toThrow(new RegExp(message));
  await store.close();
});
