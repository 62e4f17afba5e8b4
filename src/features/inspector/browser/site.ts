/** Section with an overview of the site: object counts by state, and the load of hosts. */
import { element, renderState } from './dom.ts';
import type { Json } from './json.ts';
import { renderLoads } from './load-charts.ts';
import type { LoadSampler } from './load-sampler.ts';
import { poll, type Section } from './section.ts';

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

const intervalMs = 5_000;

/** Creates the section; the sampler continues while another section is open. */
export const createSite =
  (sampler: LoadSampler): Section =>
  (place, session, signal) => {
    const counts = element('div', { class: 'cards' });
    place.append(
      element('h2', {}, 'Objects'),
      counts,
      element('h2', {}, 'Hosts: CPU and memory, in percent'),
      renderLoads(sampler, signal),
    );
    poll(
      async () => {
        const lists = await Promise.all(collections.map(([path]) => session.list(path)));
        counts.replaceChildren(
          ...lists.map((items, index) => renderCard(collections[index]?.[1], items)),
        );
      },
      intervalMs,
      signal,
    );
  };

function renderCard(title = '', items: readonly Json[]): HTMLElement {
  const states = new Map<string, number>();
  for (const { status, phase } of items) {
    const state = status ?? phase;
    if (typeof state === 'string') states.set(state, (states.get(state) ?? 0) + 1);
  }
  const words = [...states].flatMap(([state, count]) => [`${count} `, renderState(state), '  ']);
  return element(
    'section',
    { class: 'card' },
    element('h3', {}, `${title}: ${items.length}`),
    element('div', {}, ...words),
  );
}
