/** Full-screen mode of the terminal: entry, rendering, key input and exit. */
import { type Key, render, useInput } from 'ink';
import { type ReactNode, useSyncExternalStore } from 'react';
import { App } from './app.tsx';
import type { KeyName, KeyPress, ScreenSource, ShowScreen } from './screen-view.ts';

const enterFullScreen = '\u001b[?1049h\u001b[H\u001b[2J';
const leaveFullScreen = '\u001b[?1049l';

/** Keys of Ink with their names, in the order of precedence. */
const named: readonly (readonly [keyof Key, KeyName])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  // Most terminals send this code for the backspace key.
  ['delete', 'backspace'],
];

/** Letters with a meaning in combination with Ctrl. */
const controls: Readonly<Record<string, KeyName>> = {
  c: 'interrupt',
  u: 'clear',
  b: 'pageup',
  f: 'pagedown',
  p: 'up',
  n: 'down',
  a: 'home',
  e: 'end',
};

function translateKey(text: string, key: Key): KeyPress | undefined {
  const found = named.find(([name]) => key[name] === true);
  if (found) return { name: found[1] };
  if (key.ctrl) {
    const name = controls[text];
    return name === undefined ? undefined : { name };
  }
  return text === '' || key.meta ? undefined : { text };
}

function LiveScreen({ source }: { readonly source: ScreenSource }): ReactNode {
  const view = useSyncExternalStore(source.subscribe, source.view);
  useInput((text, key) => {
    const press = translateKey(text, key);
    if (press) source.press(press);
  });
  return <App view={view} />;
}

export const showScreen: ShowScreen = (source, { stdin, stdout }) => {
  stdout.write(enterFullScreen);
  const screen = render(<LiveScreen source={source} />, {
    stdin,
    stdout,
    // Console output of other code would corrupt the screen. Warnings of commands are part of the
    // view.
    patchConsole: true,
    exitOnCtrlC: false,
    // Incremental rendering misplaces changed lines (Ink 6.8).
    incrementalRendering: false,
  });
  const onResize = () => {
    stdout.write('\u001b[2J\u001b[H');
    screen.clear();
  };
  stdout.on('resize', onResize);
  return {
    close: () => {
      stdout.off('resize', onResize);
      screen.unmount();
      stdout.write(leaveFullScreen);
    },
  };
};
