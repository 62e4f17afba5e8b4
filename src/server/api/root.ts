/** The entry point (specification 4.4): links, product, special objects, summary. */

import { searchFields } from '../../model/derive/search.ts';
import { services } from '../../model/derive/services.ts';
import type { Dialect } from '../../model/dialect.ts';
import { listSubCollections } from '../../model/index.ts';
import { serviceVersion, version } from '../../version.ts';
import type { RuleContext } from '../core/context.ts';
import { Refusal } from '../core/fault.ts';
import { noneOf } from '../store/conditions.ts';
import type { Answer } from './call.ts';
import { type ApiRequest, booleanParameter } from './request.ts';
import { isFiltered } from './visibility-filter.ts';

/** Order of the links, for deployed clients. Other services follow. */
const order = [
  'clusters',
  'datacenters',
  'events',
  'hosts',
  'networks',
  'roles',
  'storagedomains',
  'tags',
  'bookmarks',
  'icons',
  'templates',
  'instancetypes',
  'users',
  'groups',
  'domains',
  'vmpools',
  'vms',
  'disks',
  'jobs',
  'storageconnections',
  'vnicprofiles',
  'diskprofiles',
  'cpuprofiles',
  'schedulingpolicyunits',
  'schedulingpolicies',
  'permissions',
  'macpools',
  'networkfilters',
  'operatingsystems',
  'externalhostproviders',
  'openstackimageproviders',
  'openstackvolumeproviders',
  'openstacknetworkproviders',
  'katelloerrata',
  'affinitylabels',
  'clusterlevels',
  'imagetransfers',
  'externalvmimports',
  'externaltemplateimports',
];

/** Id of the engine. It is constant in this server. */
const instanceId = '766d6374-6c20-4173-8000-7365727665fe';

const blank = '00000000-0000-0000-0000-000000000000';

/** Responds to GET and HEAD of the API root. */
export function apiRoot(ctx: RuleContext, dialect: Dialect, request: ApiRequest): Answer {
  const api = request.apiPath;
  const { engineAnswers } = dialect;
  const link = links(api).filter(({ rel }) => !engineAnswers || rel !== 'jobs/search');
  const origin = engineAnswers ? `https://${request.header('host') ?? 'localhost'}` : '';
  const filtered = isFiltered(ctx, request);
  refuseDescriptions(request);
  const [major = '0', minor = '0'] = version.split('.');
  return {
    status: 200,
    form: 'object',
    type: 'api',
    headers: {
      Link: link
        .map(({ href, rel }) => `<${origin}${href}>; rel=${rel}`)
        .sort()
        .join(','),
    },
    object: {
      ...(engineAnswers
        ? { engine_backup: filtered ? undefined : {} }
        : {
            actions: {
              link: [{ rel: 'reloadconfigurations', href: `${api}/reloadconfigurations` }],
            },
          }),
      link,
      product_info: {
        ...dialect.product,
        ...(engineAnswers
          ? { vendor: undefined, instance_id: filtered ? undefined : instanceId }
          : {}),
        version: {
          major: 4,
          minor: 5,
          build: Number(major),
          revision: Number(minor),
          full_version: serviceVersion,
        },
      },
      special_objects: {
        blank_template: { id: blank, href: `${api}/templates/${blank}` },
        root_tag: { id: blank, href: `${api}/tags/${blank}` },
      },
      ...(filtered ? {} : { summary: summary(ctx) }),
      authenticated_user: userReference(ctx, api),
      effective_user: userReference(ctx, api),
      time: ctx.timestamp,
    },
  };
}

/** Refuses requests for other descriptions of the API, which this server does not create. */
function refuseDescriptions({ parameters }: ApiRequest): void {
  for (const [name, title] of Object.entries({ rsdl: 'service description', schema: 'schema' })) {
    if (booleanParameter(parameters.get(name)) !== true) continue;
    throw new Refusal(404, 'Not Found', `This service has no ${title} (${name}) of its API.`);
  }
}

function links(api: string): { rel: string; href: string }[] {
  const rank = (rel: string) => {
    const index = order.indexOf(rel);
    return index < 0 ? order.length : index;
  };
  return [...listSubCollections('/')]
    .filter((rel) => rel !== 'options')
    .sort((a, b) => rank(a) - rank(b))
    .flatMap((rel) => {
      const href = `${api}/${rel}`;
      const service = services[`/${rel}`];
      const searchable =
        service &&
        searchFields[service.type] &&
        service.operations['list']?.query.includes('search');
      if (!searchable) return [{ rel, href }];
      const template = rel === 'events' ? `${href};from={event_id}` : href;
      return [
        { rel, href },
        { rel: `${rel}/search`, href: `${template}?search={query}` },
      ];
    });
}

function userReference(ctx: RuleContext, api: string): { id: string; href: string } {
  return { id: ctx.caller.userId, href: `${api}/users/${ctx.caller.userId}` };
}

function summary({ tx }: RuleContext): Record<string, { active: number; total: number }> {
  return {
    hosts: { active: tx.count('host', { where: { status: 'up' } }), total: tx.count('host') },
    storage_domains: {
      active: tx.count('attached_storage_domain', { where: { status: 'active' } }),
      total: tx.count('storage_domain'),
    },
    users: { active: tx.count('user'), total: tx.count('user') },
    vms: {
      active: tx.count('vm', {
        condition: noneOf('status', ['down', 'suspended', 'image_locked', 'unassigned']),
      }),
      total: tx.count('vm'),
    },
  };
}
