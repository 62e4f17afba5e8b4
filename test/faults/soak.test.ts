/** The soak test (`npm run test:soak`): complete in the full catalogue, otherwise a short run. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { chooseCount, recordResult } from './support/catalogue.ts';

const script = fileURLToPath(new URL('../../scripts/soak.js', import.meta.url));

interface Soaked {
  readonly requests: number;
  readonly seconds: number;
  /** Growth in bytes per 1,000 requests. */
  readonly memory: number;
  readonly descriptors: number;
  /** p99 latency in milliseconds. */
  readonly delay: number;
}

async function soak(...flags: string[]): Promise<{ code: number | null; result: Soaked }> {
  const child = spawn(process.execPath, [script, '--json', '--built', ...flags], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let text = '';
  child.stdout.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const line = text.split('\n').find((one) => one.startsWith('{')) ?? '{}';
  return { code, result: JSON.parse(line) as Soaked };
}

it('H a long run has the costs of a short one', async () => {
  const { code, result } = await soak('--requests', String(chooseCount(1_000_000, 2_000)));
  const { requests, memory, descriptors, delay, seconds } = result;
  expect(code, JSON.stringify(result)).toBe(0);
  expect(descriptors).toBe(0);
  recordResult(
    'H',
    `${requests} requests in ${Math.round(seconds)} s: memory +${Math.round(memory)} bytes in 1,000, descriptors +${descriptors}, p99 ${delay.toFixed(1)} ms`,
  );
}, 3_600_000);

it('H control: detects a leaking server', async () => {
  const { code, result } = await soak('--requests', '1000', '--leak', '4096');
  expect(code).toBe(1);
  expect(result.memory).toBeGreaterThan(1_000_000);
}, 120_000);
