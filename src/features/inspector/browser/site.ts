/** The site at a glance: how many of what, in which states, and how busy hosts are. */
import { bytes, element, stateWord } from './dom.ts';
import { repeated, type Section } from './section.ts';
import type { Json, Session } from './session.ts';

const collections: readonly (readonly [path: string, title: string])[] = [
  ['/datacenters', 'Data centers'],
  ['/clusters', 'Clusters'],
  ['/hosts', 'Hosts'],
  ['/vms', 'VMs'],
  ['/storagedomains', 'Storage domains'],
  ['/disks', 'Disks'],
  ['/networks', 'Networks'],
  ['/imagetransfers', 'Image transfers'],
];

const interval = 5_000;

/** Points of a plot: ten minutes. */
const maxPoints = 120;

interface Load {
  readonly cpu: number;
  readonly memory: number;
}

export const site: Section = (place, session, signal) => {
  const counts = element('div', { class: 'cards' });
  const hosts = element('div', { class: 'cards' });
  place.append(
    element('h2', {}, 'Objects'),
    counts,
    element('h2', {}, 'Hosts: CPU and memory, in percent'),
    hosts,
  );
  const history = new Map<string, Load[]>();
  repeated(
    async () => {
      const lists = await Promise.all(collections.map(([path]) => session.list(path)));
      counts.replaceChildren(...lists.map((items, index) => card(collections[index]?.[1], items)));
      hosts.replaceChildren(...(await loads(session)).map((host) => plot(host, history)));
    },
    interval,
    signal,
  );
};

function card(title = '', items: readonly Json[]): HTMLElement {
  const states = new Map<string, number>();
  for (const { status, phase } of items) {
    const state = status ?? phase;
    if (typeof state === 'string') states.set(state, (states.get(state) ?? 0) + 1);
  }
  const words = [...states].flatMap(([state, count]) => [`${count} `, stateWord(state), '  ']);
  return element(
    'section',
    { class: 'card' },
    element('h3', {}, `${title}: ${items.length}`),
    element('div', {}, ...words),
  );
}

interface HostLoad extends Load {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly used: number;
  readonly total: number;
}

async function loads(session: Session): Promise<readonly HostLoad[]> {
  const hosts = await session.list('/hosts?follow=statistics');
  return hosts.map((host) => {
    const statistics = (host['statistics'] as { statistic?: Json[] } | undefined)?.statistic ?? [];
    const value = (name: string) => {
      const found = statistics.find((one) => one['name'] === name);
      const values = (found?.['values'] as { value?: Json[] } | undefined)?.value;
      return Number(values?.[0]?.['datum'] ?? 0);
    };
    const total = value('memory.total');
    const used = value('memory.used');
    return {
      id: String(host['id']),
      name: String(host['name']),
      status: String(host['status']),
      cpu: Math.min(100, value('cpu.current.user') + value('cpu.current.system')),
      memory: total > 0 ? (100 * used) / total : 0,
      ...{ used, total },
    };
  });
}

function plot(host: HostLoad, history: Map<string, Load[]>): HTMLElement {
  const points = history.get(host.id) ?? [];
  history.set(host.id, points);
  points.push(host);
  if (points.length > maxPoints) points.shift();
  const text = `CPU ${host.cpu.toFixed(0)} %, memory ${host.memory.toFixed(0)} %`;
  return element(
    'section',
    { class: 'card' },
    element('h3', {}, `${host.name} `, stateWord(host.status)),
    drawing(points, text),
    element('div', {}, `${text} (${bytes(host.used)} of ${bytes(host.total)})`),
  );
}

function drawing(points: readonly Load[], label: string): SVGSVGElement {
  const make = <N extends keyof SVGElementTagNameMap>(name: N, attributes: Json) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    return made;
  };
  const line = (of: keyof Load) =>
    make('polyline', {
      class: of,
      points: points.map((one, index) => `${index},${(100 - one[of]).toFixed(1)}`).join(' '),
    });
  const drawn = make('svg', {
    viewBox: `0 0 ${maxPoints - 1} 100`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': label,
  });
  drawn.append(line('cpu'), line('memory'));
  return drawn;
}
