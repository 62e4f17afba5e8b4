/** Raw requests to the service under test, without conversion of failures to errors. */
import type { Client } from '../../../client/client.ts';
import type { Dialect } from '../../../model/dialect.ts';
import type { Operation } from '../../../model/index.ts';
import { getUnknownIdAnswer, unknownIdStatuses } from '../../../model/unknown-ids.ts';
import { Difference } from './finding.ts';

export interface Answer {
  readonly status: number;
  /** Media type in lower case, without parameters. */
  readonly type: string;
  readonly location: string | undefined;
  readonly text: string;
}

export type Media = 'application/xml' | 'application/json';

export class Service {
  readonly #client: Pick<Client, 'raw' | 'dialect'>;

  constructor(client: Pick<Client, 'raw' | 'dialect'>) {
    this.#client = client;
  }

  /** Wire dialect of the service. */
  async dialect(): Promise<Dialect> {
    return await this.#client.dialect();
  }

  /** Expected status of an operation on an unknown object. */
  async unknownIdStatus(operation: Operation): Promise<number> {
    const { engineRefusals } = await this.dialect();
    return engineRefusals ? unknownIdStatuses[getUnknownIdAnswer(operation)] : 404;
  }

  /** Sends a request. `path` is below the API root. */
  async send(method: string, path: string, accept: Media, body?: unknown): Promise<Answer> {
    const {
      status,
      headers,
      body: bytes,
    } = await this.#client.raw({
      method,
      path,
      headers: {
        accept,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const header = (name: string) => {
      const value = headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    return {
      status,
      type: (header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
      location: header('location'),
      text: bytes.toString(),
    };
  }

  /**
   * Sends a request. Throws `Difference` unless the status is in `success`; an empty `success`
   * accepts any 2xx.
   */
  async expect(
    success: readonly number[],
    ...request: Parameters<Service['send']>
  ): Promise<Answer> {
    const answer = await this.send(...request);
    const isGood = answer.status >= 200 && answer.status < 300;
    if (success.length === 0 ? isGood : success.includes(answer.status)) return answer;
    const [method, path] = request;
    const why = /"detail"\s*:\s*"((?:[^"\\]|\\.)*)"|<detail>([^<]*)</.exec(answer.text);
    const reason = why ? `: ${(why[1] ?? why[2] ?? '').slice(0, 200)}` : '';
    throw new Difference(
      `${method} ${path} returns ${answer.status}${reason}, not ${success.join(' or ') || 'a success'}`,
    );
  }
}
