// Creates the pictures in docs/images: dashboard.svg, `vmctl ui` in a terminal of 80 columns and 24
// lines, and inspector.png, the inspector page in Chromium, drawn by its test.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const columns = 80;
const rows = 24;
/** Size of a character in pixels. */
const width = 8.4;
const height = 18;
const colors = { 31: '#f47067', 32: '#57ab5a', 33: '#daaa3f', 39: '#d0d7de' };
const background = '#1c2128';

const home = mkdtempSync(join(tmpdir(), 'vmctl-screenshot-'));
const tmux = (...args) =>
  execFileSync('tmux', ['-L', `vmctl-screenshot-${process.pid}`, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', TERM: 'xterm-256color' },
  });
const command = `'${process.execPath}' '${join(root, 'bin/vmctl.js')}' ui --sandbox`;
try {
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, command);
  const until = async (pattern) => {
    while (!pattern.test(tmux('capture-pane', '-p'))) await pause(50);
  };
  await until(/> vm-01/);
  tmux('send-keys', 'Down', 's');
  await until(/vms start vm-02: done/);
  await until(/vm-02 +up/);
  const text = tmux('capture-pane', '-p', '-e');
  mkdirSync(join(root, 'docs/images'), { recursive: true });
  writeFileSync(join(root, 'docs/images/dashboard.svg'), drawing(text.split('\n').slice(0, rows)));
} finally {
  tmux('kill-server');
  rmSync(home, { recursive: true, force: true });
}

execFileSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    ...[
      'run',
      '--project',
      'e2e',
      'test/features/inspector/commands/inspector.test.ts',
      '-t',
      'a picture of the page',
    ],
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, VMCTL_PICTURE: join(root, 'docs/images/inspector.png') },
  },
);

/** Draws lines with terminal escapes. */
function drawing(lines) {
  const cells = lines.flatMap((line, row) => splitSpans(line).map((span) => drawn(span, row)));
  const size = `width="${Math.ceil(columns * width + 20)}" height="${rows * height + 20}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="vmctl ui in a terminal">
<rect width="100%" height="100%" rx="6" fill="${background}"/>
<g font-family="ui-monospace,Menlo,Consolas,monospace" font-size="14">
${cells.join('\n')}
</g>
</svg>
`;
}

/** Parts of a line with the same style, with their first column. */
function splitSpans(line) {
  const spans = [];
  let column = 0;
  let style = { color: 39, bold: false, dim: false, inverse: false };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is looked for.
  for (const [, codes, text] of line.matchAll(/(?:\u001b\[([\d;]*)m)|([^\u001b]+)/g)) {
    if (text === undefined) {
      for (const code of codes.split(';').map(Number)) style = styledBy(style, code);
      continue;
    }
    if (style.inverse) spans.push({ text: ' '.repeat([...text].length), column, ...style });
    // SVG collapses several blanks to one.
    for (const { 0: part, index } of text.matchAll(/\S+(?: \S+)*/g)) {
      const at = column + [...text.slice(0, index)].length;
      spans.push({ text: part, column: at, ...style });
    }
    column += [...text].length;
  }
  return spans;
}

function styledBy(style, code) {
  if (code === 0) return { color: 39, bold: false, dim: false, inverse: false };
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 7) return { ...style, inverse: true };
  return code in colors ? { ...style, color: code } : style;
}

function drawn({ text, column, color, bold, dim, inverse }, row) {
  const x = (column * width + 10).toFixed(1);
  const y = row * height + 10;
  const length = ([...text].length * width).toFixed(1);
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const block = `<rect x="${x}" y="${y}" width="${length}" height="${height}" fill="${colors[39]}"/>`;
  if (inverse && text.trim() === '') return block;
  const weight = bold ? ' font-weight="bold"' : '';
  const opacity = dim ? ' opacity="0.6"' : '';
  const fill = inverse ? background : colors[color];
  return `<text x="${x}" y="${y + 14}" textLength="${length}" fill="${fill}"${weight}${opacity}>${escaped}</text>`;
}
