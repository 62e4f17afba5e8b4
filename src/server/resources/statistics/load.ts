/** Simulated load, and the type of measurements. */
import { digestParts } from '../../core/random.ts';

export type Measured = Readonly<Record<string, () => number | string | readonly number[]>>;

/** Seconds between two samples. A measurement is constant in between. */
export const interval = 15;

/** Number of samples in a history. */
export const historyLength = 40;

/** Running time of the last sample, in seconds. */
export function getLastSample(seconds: number): number {
  return Math.floor(seconds / interval) * interval;
}

/** Rounds to two decimal places. */
export function roundMeasure(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Amplitude of the load, relative to its mean. */
const swing = 0.8;

export class Load {
  readonly #phase: number;
  /** Seconds between two maxima. */
  readonly #period: number;

  /**
   * @param id id of the object
   * @param name measured resource: `cpu`, `network`
   */
  constructor(id: string, name: string) {
    const share = digestParts(id, name).readUInt32LE(0) / 2 ** 32;
    this.#phase = 2 * Math.PI * share;
    this.#period = 600 + 600 * share;
  }

  /** The load after this running time: between 0.1 and 0.9. */
  at(seconds: number): number {
    return 0.5 * (1 + swing * Math.sin(this.#angle(seconds)));
  }

  /** Integral of the load over the running time: equivalent seconds of full load. */
  until(seconds: number): number {
    const waves = Math.cos(this.#phase) - Math.cos(this.#angle(seconds));
    return 0.5 * (seconds + (swing * this.#period * waves) / (2 * Math.PI));
  }

  #angle(seconds: number): number {
    return (2 * Math.PI * seconds) / this.#period + this.#phase;
  }
}
