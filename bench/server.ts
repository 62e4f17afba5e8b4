/**
 * Cost of requests: CPU time of the server relative to a GET by id, with a small and a large site.
 */
import type { Row } from './report/row.ts';
import { type Pair, pairRow, type Turns, takeTurns, type Work } from './support/rounds.ts';
import { MeasuredServer } from './support/server.ts';
import { answer, quick, roundsOr } from './support/settings.ts';

const rounds = roundsOr(5);
const requests = quick ? 5 : 300;
const [few, many, pageSize] = quick ? [10, 100, 2] : [1_000, 100_000, 100];
/** Each page is requested once, so that no part of a response is cached. */
const firstPage = 11;
const newPages = Math.max(
  1,
  Math.min(requests, Math.floor((many / pageSize - firstPage) / (rounds + 1))),
);

const large = await measured(many);
const small = await measured(few);
const common = { peer: 'GET by id', direction: 'at most' } as const;
const page = `page of ${pageSize} by name, ${many} VMs`;
const pairs: readonly Pair[] = [
  { ...common, name: `search name=, ${many} VMs, CPU`, ours: 'search', reach: 3 },
  {
    ...{ ...common, name: `${page}, each requested once, JSON, CPU`, ours: 'new page', reach: 40 },
  },
  {
    ...{ ...common, name: `${page}, each requested once, XML, CPU`, ours: 'new page, XML' },
    ...{ peer: 'GET by id, XML', reach: 40 },
  },
];
const row = (turns: Turns<number>, pair: Pair): readonly Row[] => {
  const made = pairRow(turns, pair, 'ms', (milliseconds) => milliseconds);
  return made ? [made] : [];
};
answer([
  ...pairs.flatMap((pair) => row(large, pair)),
  ...row(
    new Map([
      ['large', large.get('search') ?? []],
      ['small', small.get('search') ?? []],
    ]),
    {
      ...{ name: `search name=, ${many} VMs, CPU`, ours: 'large', peer: 'small' },
      ...{ beside: `the same among ${few} VMs`, reach: 1.5, direction: 'at most' },
    },
  ),
]);

/** CPU milliseconds of the server for each request to a site with this number of VMs. */
async function measured(vms: number): Promise<Turns<number>> {
  const server = await MeasuredServer.start(['--inventory', `hosts=100,vms=${vms}`]);
  try {
    const digits = Math.max(2, String(vms).length);
    const ids = await server.vmIds(20);
    const byId = (number: number) => `/vms/${ids[number % ids.length]}`;
    const byName = (number: number) =>
      `/vms?search=name%3Dvm-${String(3 * (number % 20) + 1).padStart(digits, '0')}`;
    const createPage = (number: number) =>
      `/vms?search=sortby%20name%20asc%20page%20${number}&max=${pageSize}`;
    const work = (path: (number: number) => string, form = 'json', count = requests) => {
      let number = 0;
      return async () => {
        const before = await server.cpu();
        for (let index = 0; index < count; index += 1) {
          await server.get(path(number), `application/${form}`);
          number += 1;
        }
        return (1_000 * ((await server.cpu()) - before)) / count;
      };
    };
    const works = new Map<string, Work<number>>([
      ['GET by id', work(byId)],
      ['GET by id, XML', work(byId, 'xml')],
      ['search', work(byName)],
    ]);
    if (vms === many) {
      // Half of the pages in each format, so that no two requests share an object.
      const half = Math.max(1, Math.floor(newPages / 2));
      const later = firstPage + half * (rounds + 1);
      works.set(
        'new page',
        work((number) => createPage(firstPage + number), 'json', half),
      );
      works.set(
        'new page, XML',
        work((number) => createPage(later + number), 'xml', half),
      );
    }
    return await takeTurns(works, rounds);
  } finally {
    await server.stop();
  }
}
