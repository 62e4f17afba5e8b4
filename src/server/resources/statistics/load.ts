/**
 * Load of something that is simulated, as a share of what it can do: rises and falls slowly with the
 * time that it has run, differently for each object and each thing measured, always the same for the
 * same id. Rates come from the load, counters from its integral, so that both tell one story.
 */
import { digestOf } from '../../core/digest.ts';

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
