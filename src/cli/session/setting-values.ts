/** Values of settings: parsers and checks. */
import { UsageError } from '../../client/errors.ts';
import { parseDuration, parseTimerDuration } from '../text/duration.ts';
import { type SettingName, settings } from './settings.ts';

/** Parses `--idle-timeout` into milliseconds. Less than a second would fail on every network. */
export function parseIdleTimeout(text: string): number {
  const milliseconds = parseDuration(text, '--idle-timeout');
  if (milliseconds >= 1_000 && milliseconds <= 86_400_000) return milliseconds;
  throw new UsageError(`--idle-timeout ${text}: not between 1s and 1d`);
}

export function parseRetries(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0 && count <= 20) return count;
  throw new UsageError(`--retries ${text}: not a number from 0 to 20`);
}

export function parseApiVersion(text: string): string {
  if (/^[1-9]\d{0,2}$/.test(text)) return text;
  throw new UsageError(`--api-version ${text}: not a major version`, {
    hint: 'remove it, or use --api-version 4',
  });
}

/** Parses `--timeout` into milliseconds. */
export function parseTimeout(text: string): number {
  return parseTimerDuration(text, '--timeout');
}

const parsers: Readonly<Partial<Record<SettingName, (text: string) => unknown>>> = {
  ...{ apiVersion: parseApiVersion, idleTimeout: parseIdleTimeout },
  ...{ retries: parseRetries, timeout: parseTimeout },
};

/** Throws `UsageError` for a value with which commands would fail. `key` is the name for messages. */
export function checkSettingValue(name: SettingName, key: string, value: string): void {
  const { isSwitch } = settings[name];
  const values = isSwitch ? ['true', 'false'] : settings[name].values;
  parsers[name]?.(value);
  if (!values || values.includes(value)) return;
  throw new UsageError(`config: "${value}" is not a valid ${key}`, {
    hint: `use one of ${values.join(', ')}`,
  });
}
