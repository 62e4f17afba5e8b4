/** Server with the dialect of deployed engines and the small inventory, and JSON requests to it. */
import { expect } from 'vitest';
import { RawApi } from './raw.ts';
import { startTestServer, type TestServer } from './server.ts';

export type Json = Record<string, unknown>;

/** Valid id without an object. */
export const unusedId = '11111111-2222-3333-4444-555555555555';

export class Engine {
  readonly server: TestServer;
  readonly api: RawApi;
  dataCenter = '';
  cluster = '';
  host = '';

  private constructor(server: TestServer, api: RawApi) {
    this.server = server;
    this.api = api;
  }

  static async start(): Promise<Engine> {
    const words = ['--speed', '0', '--inventory', 'small', '--dialect', 'ovirt'];
    const server = await startTestServer(words);
    const engine = new Engine(server, await RawApi.signIn(server, 'ovirt-app-api'));
    engine.dataCenter = await engine.findFirstId('/datacenters?search=name=Default', 'data_center');
    engine.cluster = await engine.findFirstId('/clusters?search=name=Default', 'cluster');
    engine.host = await engine.findFirstId('/hosts?search=name=host1', 'host');
    return engine;
  }

  /** Sends a request that must succeed. */
  async must(method: string, path: string, body?: Json): Promise<Json> {
    const answer = await this.api.json(method, path, body);
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
    return answer.json();
  }

  /** Status and reason of a refusal. */
  async refusal(method: string, path: string, body?: Json): Promise<[number, unknown]> {
    const answer = await this.api.json(method, path, body);
    const found = answer.text === '' ? {} : answer.json<{ reason?: string; fault?: Json }>();
    return [answer.status, found.reason ?? found.fault?.['reason']];
  }

  async list(path: string, element: string): Promise<Json[]> {
    return ((await this.must('GET', path))[element] ?? []) as Json[];
  }

  /** Id of the first object of a list. */
  async findFirstId(path: string, element: string): Promise<string> {
    return String((await this.list(path, element))[0]?.['id']);
  }

  /** Path with the ids of the default objects. */
  fillIds(path: string): string {
    const { dataCenter, cluster, host } = this;
    return path.replace('DC', dataCenter).replace('CLUSTER', cluster).replace('HOST', host);
  }
}
