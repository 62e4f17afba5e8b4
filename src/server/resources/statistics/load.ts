/** Simulated load, and the form of measured values. */
import { digestOf } from '../../core/random.ts';

export type Measured = Readonly<Record<string, () => number | string | readonly number[]>>;

/** Seconds between two looks at what is measured: so long a value stays. */
export const interval = 15;

/** How many values of the past are kept. */
export const historyLength = 40;

/** The last look, in seconds of running. */
export function lastLook(seconds: number): number {
  return Math.floor(seconds / interval) * interval;
}

/** Two digits behind the point. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** How far the load goes up and down around its middle, as a share of it. */
const swing = 0.8;

export class Load {
  readonly #phase: number;
  /** Seconds from one high to the next. */
  readonly #period: number;

  /** @param id of the object @param name of what is measured: `cpu`, `network` */
  constructor(id: string, name: string) {
    const share = digestOf(id, name).readUInt32LE(0) / 2 ** 32;
    this.#phase = 2 * Math.PI * share;
    this.#period = 600 + 600 * share;
  }

  /** The load after so many seconds of running: between 0.1 and 0.9. */
  at(seconds: number): number {
    return 0.5 * (1 + swing * Math.sin(this.#angle(seconds)));
  }

  /** The seconds of full load that come to the same as the load from the first second until then. */
  until(seconds: number): number {
    const waves = Math.cos(this.#phase) - Math.cos(this.#angle(seconds));
    return 0.5 * (seconds + (swing * this.#period * waves) / (2 * Math.PI));
  }

  #angle(seconds: number): number {
    return (2 * Math.PI * seconds) / this.#period + this.#phase;
  }
}
