/** What the screen of a simulated machine shows: its name and its state, in large dots. */

import type { ActionResult, Addressed } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import { picture } from '../png.ts';
import { runStateOf } from './run-state.ts';
import { subjects } from './vm.ts';

const width = 640;
const height = 480;
const background = 0x000020;
const ink = 0xd0d0d0;
/** Points of the picture that a dot of a letter is wide and high. */
const scale = 3;
const margin = 24;
const lineHeight = 10;
const letterWidth = 4;

/** Letters of three dots by five, a number for each row, for which the left dot counts four. */
const letters: Readonly<Record<string, readonly number[]>> = {
  a: [2, 5, 7, 5, 5],
  b: [6, 5, 6, 5, 6],
  c: [3, 4, 4, 4, 3],
  d: [6, 5, 5, 5, 6],
  e: [7, 4, 6, 4, 7],
  f: [7, 4, 6, 4, 4],
  g: [3, 4, 5, 5, 3],
  h: [5, 5, 7, 5, 5],
  i: [7, 2, 2, 2, 7],
  j: [1, 1, 1, 5, 2],
  k: [5, 5, 6, 5, 5],
  l: [4, 4, 4, 4, 7],
  m: [5, 7, 7, 5, 5],
  n: [6, 5, 5, 5, 5],
  o: [2, 5, 5, 5, 2],
  p: [6, 5, 6, 4, 4],
  q: [2, 5, 5, 6, 3],
  r: [6, 5, 6, 5, 5],
  s: [3, 4, 2, 1, 6],
  t: [7, 2, 2, 2, 2],
  u: [5, 5, 5, 5, 7],
  v: [5, 5, 5, 5, 2],
  w: [5, 5, 7, 7, 5],
  x: [5, 5, 2, 5, 5],
  y: [5, 5, 2, 2, 2],
  z: [7, 1, 2, 4, 7],
  0: [7, 5, 5, 5, 7],
  1: [2, 6, 2, 2, 7],
  2: [6, 1, 2, 4, 7],
  3: [6, 1, 2, 1, 6],
  4: [5, 5, 7, 1, 1],
  5: [7, 4, 6, 1, 6],
  6: [3, 4, 7, 5, 7],
  7: [7, 1, 2, 2, 2],
  8: [7, 5, 7, 5, 7],
  9: [7, 5, 7, 1, 6],
  '-': [0, 0, 7, 0, 0],
  _: [0, 0, 0, 0, 7],
  '.': [0, 0, 0, 0, 2],
  ':': [0, 2, 0, 2, 0],
  ' ': [0, 0, 0, 0, 0],
};
/** What has no letter of its own. */
const block = [7, 7, 7, 7, 7];

/** Takes a picture of the screen; a machine without a console has none. */
export function screenshot(ctx: RuleContext, { object: vm }: Addressed<'vm'>): ActionResult {
  requireState(ctx, 'vm', vm as StoredObject, 'screenshot');
  const where = { collection: `/vms/${vm.id}/graphicsconsoles` };
  if (ctx.tx.count('graphics_console', { where }) === 0) {
    ctx.refuse('VM_WITHOUT_SCREEN', { action: 'take a screenshot of' });
  }
  ctx.event('VM_SCREENSHOT_TAKEN', subjects(ctx, vm));
  const state = runStateOf(vm).frozen ? 'file systems frozen' : '';
  const lines = [vm.name ?? '', vm.status ?? '', vm.fqdn ?? '', state, ctx.timestamp.slice(0, 19)];
  return { screenshot: draw(lines.map((line) => line.toLowerCase())) };
}

function draw(lines: readonly string[]): Buffer {
  return picture(width, height, (x, y) => {
    const column = Math.floor((x - margin) / scale);
    const row = Math.floor((y - margin) / scale);
    return column >= 0 && row >= 0 && isInk(lines, column, row) ? ink : background;
  });
}

function isInk(lines: readonly string[], column: number, row: number): boolean {
  const letter = lines[Math.floor(row / lineHeight)]?.[Math.floor(column / letterWidth)];
  if (letter === undefined) return false;
  const dots = (letters[letter] ?? block)[row % lineHeight] ?? 0;
  return (dots & (4 >> (column % letterWidth))) !== 0;
}
