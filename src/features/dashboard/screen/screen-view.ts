/** What a full screen shows: plain values, without anything of how they came about or are drawn. */

/** Whether a text is good news, bad news, or on its way; `dim` is what matters less. */
export type Tone = 'good' | 'bad' | 'passing' | 'dim' | 'strong' | 'plain';

/** A part of a line, free of control characters and already cut to its room. */
export interface Segment {
  readonly text: string;
  readonly tone: Tone;
}

/** A line of a list or a text. */
export interface Line {
  readonly segments: readonly Segment[];
  /** The line that keys are about. */
  readonly isCurrent?: boolean;
}

/** A key and what it does, as the last line names it. */
export interface KeyHint {
  readonly key: string;
  readonly label: string;
}

/** A box over the rest, which has the keys for itself. */
export interface Dialog {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly keys: readonly KeyHint[];
  /** What is typed in it. */
  readonly input?: Input;
}

/** A line that is being typed. */
export interface Input {
  readonly label: string;
  readonly text: string;
  /** In characters from the beginning of the text. */
  readonly cursor: number;
  /** What is wrong with it, or what may come next. */
  readonly note?: Segment;
}

/** Everything on the screen. Lines are as many as there is room for. */
export interface ScreenView {
  readonly width: number;
  readonly height: number;
  readonly title: Line;
  readonly sidebar: {
    readonly width: number;
    readonly lines: readonly Line[];
    readonly isFocused: boolean;
  };
  readonly heading: Line;
  readonly lines: readonly Line[];
  /** Progress of transfers, and what was done last. */
  readonly status: readonly Line[];
  readonly keys: readonly KeyHint[];
  readonly input?: Input;
  readonly dialog?: Dialog;
  /** Whether colours may be used; what they say is said by words as well. */
  readonly hasColor: boolean;
  /** Whether lines may be drawn with characters beyond ASCII. */
  readonly hasUnicode: boolean;
}

/** A key that was pressed: its name, or the text that was typed or pasted. */
export type KeyPress =
  | { readonly name: KeyName; readonly text?: undefined }
  | { readonly name?: undefined; readonly text: string };

export type KeyName =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'pageup'
  | 'pagedown'
  | 'home'
  | 'end'
  | 'enter'
  | 'escape'
  | 'tab'
  | 'backspace'
  | 'delete'
  | 'interrupt'
  | 'clear';

/** What the screen asks for, and tells. */
export interface ScreenSource {
  /** The view now; the same object as long as nothing has changed. */
  readonly view: () => ScreenView;
  /** Calls back after each change, until what it returns is called. */
  readonly subscribe: (onChange: () => void) => () => void;
  readonly press: (key: KeyPress) => void;
}

/** A screen that is shown. */
export interface Screen {
  /** Gives the terminal back as it was. */
  readonly close: () => void;
}

/** Begins to show a source. Both streams are those of a terminal. */
export type ShowScreen = (
  source: ScreenSource,
  terminal: { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream },
) => Screen;
