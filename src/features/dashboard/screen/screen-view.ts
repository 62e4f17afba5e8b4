/** View model of the full screen: plain values, independent of state and rendering. */

/** Meaning of a text: success, failure, in progress (`passing`), or less important (`dim`). */
export type Tone = 'good' | 'bad' | 'passing' | 'dim' | 'strong' | 'plain';

/** A part of a line, without control characters and truncated to its width. */
export interface Segment {
  readonly text: string;
  readonly tone: Tone;
}

/** A line of a list or a text. */
export interface Line {
  readonly segments: readonly Segment[];
  /** Whether this is the selected line. */
  readonly isCurrent?: boolean;
}

/** A key with a label for its effect. */
export interface KeyHint {
  readonly key: string;
  readonly label: string;
}

/** A modal box over the main pane, which receives all keys. */
export interface Dialog {
  readonly title: string;
  readonly lines: readonly Line[];
  readonly keys: readonly KeyHint[];
  /** Input line of the box. */
  readonly input?: Input;
}

/** An input line. */
export interface Input {
  readonly label: string;
  readonly text: string;
  /** Offset in UTF-16 code units. */
  readonly cursor: number;
  /** Error message, or possible continuations. */
  readonly note?: Segment;
}

/** Complete content of the screen. Lists of lines are cut to the available height. */
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
  /** Progress of transfers, and the last message. */
  readonly status: readonly Line[];
  readonly keys: readonly KeyHint[];
  readonly input?: Input;
  readonly dialog?: Dialog;
  /** Whether to use colours. Colours never carry information alone. */
  readonly hasColor: boolean;
  /** Whether to draw lines with non-ASCII characters. */
  readonly hasUnicode: boolean;
}

/** A pressed key: its name, or typed or pasted text. */
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

/** Source of the view for the screen. */
export interface ScreenSource {
  /** The current view; the same object until the state changes. */
  readonly view: () => ScreenView;
  /** Calls `onChange` after each change; the returned function unsubscribes. */
  readonly subscribe: (onChange: () => void) => () => void;
  readonly press: (key: KeyPress) => void;
}

/** An open screen. */
export interface Screen {
  /** Closes the screen and restores the terminal. */
  readonly close: () => void;
}

/** Opens a screen for a source. Both streams must be terminals. */
export type ShowScreen = (
  source: ScreenSource,
  terminal: { readonly stdin: NodeJS.ReadStream; readonly stdout: NodeJS.WriteStream },
) => Screen;
