/** Ink components of the full screen: title, sidebar, main pane, status and keys. */
import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import type { Dialog, Input, KeyHint, Line, ScreenView, Segment, Tone } from './screen-view.ts';

interface Style {
  readonly color?: string;
  readonly bold?: boolean;
  readonly dimColor?: boolean;
}

const styles: Readonly<Record<Tone, Style>> = {
  good: { color: 'green' },
  bad: { color: 'red' },
  passing: { color: 'yellow' },
  dim: { dimColor: true },
  strong: { bold: true },
  plain: {},
};

function getStyle(tone: Tone, hasColor: boolean): Style {
  const style = styles[tone];
  return hasColor || style.color === undefined ? style : {};
}

function Segments({
  segments,
  hasColor,
}: {
  readonly segments: readonly Segment[];
  readonly hasColor: boolean;
}): ReactNode {
  // The index is the only stable key of a segment.
  return segments.map(({ text, tone }, place) => (
    <Text key={`${String(place)}:${tone}`} {...getStyle(tone, hasColor)}>
      {text}
    </Text>
  ));
}

/**
 * A line. The current one is inverse; its text also starts with a mark for terminals without
 * inverse video.
 */
function Row({
  line,
  hasColor,
  isFocused = true,
}: {
  readonly line: Line;
  readonly hasColor: boolean;
  readonly isFocused?: boolean;
}): ReactNode {
  const isInverse = line.isCurrent === true && isFocused;
  return (
    <Text wrap="truncate-end" inverse={isInverse} bold={line.isCurrent === true && !isFocused}>
      <Segments segments={line.segments} hasColor={hasColor && !isInverse} />
    </Text>
  );
}

function Rows({
  lines,
  height,
  ...rest
}: {
  readonly lines: readonly Line[];
  readonly height: number;
  readonly hasColor: boolean;
  readonly isFocused?: boolean;
}): ReactNode {
  const all = Array.from({ length: height }, (_, index) => lines[index] ?? { segments: [] });
  return all.map((line, place) => (
    <Box key={String(place)} height={1}>
      <Row line={line} {...rest} />
    </Box>
  ));
}

function Keys({ keys }: { readonly keys: readonly KeyHint[] }): ReactNode {
  return (
    <Text wrap="truncate-end">
      {keys.map(({ key, label }, place) => (
        <Text key={key}>
          {place > 0 ? '  ' : ''}
          <Text bold>{key}</Text> <Text dimColor>{label}</Text>
        </Text>
      ))}
    </Text>
  );
}

function InputLine({
  input: { label, text, cursor, note },
  hasColor,
}: {
  readonly input: Input;
  readonly hasColor: boolean;
}): ReactNode {
  return (
    <Text wrap="truncate-end">
      <Text bold>{label}</Text>
      {text.slice(0, cursor)}
      <Text inverse>{text.slice(cursor, cursor + 1) || ' '}</Text>
      {text.slice(cursor + 1)}
      {note ? '  ' : ''}
      {note ? <Segments segments={[note]} hasColor={hasColor} /> : null}
    </Text>
  );
}

function DialogBox({
  dialog: { title, lines, keys, input },
  view: { hasColor, hasUnicode },
  height,
}: {
  readonly dialog: Dialog;
  readonly view: ScreenView;
  readonly height: number;
}): ReactNode {
  const border = hasUnicode ? 'round' : 'classic';
  const room = height - (input ? 5 : 4);
  return (
    <Box flexDirection="column" borderStyle={border} height={height} paddingX={1}>
      <Text bold wrap="truncate-end">
        {title}
      </Text>
      <Rows lines={lines} height={room} hasColor={hasColor} />
      {input ? <InputLine input={input} hasColor={hasColor} /> : null}
      <Keys keys={keys} />
    </Box>
  );
}

/** Root component of the screen. */
export function App({ view }: { readonly view: ScreenView }): ReactNode {
  const { width, height, hasColor, hasUnicode, sidebar, status, dialog, input } = view;
  // Title and key hints take one line each.
  const body = height - status.length - 2;
  const mainWidth = width - sidebar.width - 2;
  const bar = hasUnicode ? '│' : '|';
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Row line={view.title} hasColor={hasColor} />
      <Box height={body}>
        <Box flexDirection="column" width={sidebar.width}>
          <Rows
            lines={sidebar.lines}
            height={body}
            hasColor={hasColor}
            isFocused={sidebar.isFocused}
          />
        </Box>
        <Box flexDirection="column" width={2}>
          {Array.from({ length: body }, (_, place) => (
            <Text key={String(place)} dimColor>
              {bar}{' '}
            </Text>
          ))}
        </Box>
        <Box flexDirection="column" width={mainWidth}>
          {dialog ? (
            <DialogBox dialog={dialog} view={view} height={body} />
          ) : (
            <>
              <Row line={view.heading} hasColor={hasColor} />
              <Rows
                lines={view.lines}
                height={body - 1}
                hasColor={hasColor}
                isFocused={!sidebar.isFocused}
              />
            </>
          )}
        </Box>
      </Box>
      {status.map((line, place) => (
        <Box key={String(place)} height={1}>
          <Row line={line} hasColor={hasColor} />
        </Box>
      ))}
      {input ? <InputLine input={input} hasColor={hasColor} /> : <Keys keys={view.keys} />}
    </Box>
  );
}
