/** Whether a provider can be reached, and which certificates of it are trusted. */
import { X509Certificate } from 'node:crypto';
import type { Resource } from '../../../model/resource.ts';
import type { Action } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { namedId } from '../../core/digest.ts';
import { refused } from '../../core/fault.ts';
import type { StoredObject } from '../../store/document.ts';

type Certificate = Resource<'certificate'>;

/** A provider as it is stored, with the certificates that were sent; only their list shows them. */
export interface Trusting {
  readonly name?: string;
  readonly url?: string;
  readonly trusted?: readonly Certificate[];
}

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

type ProviderKind =
  | 'external_host_provider'
  | 'openstack_image_provider'
  | 'openstack_network_provider'
  | 'openstack_volume_provider';

export const reachActions = {
  /**
   * The outside world is simulated: whatever is elsewhere is taken to be there. What is said to be
   * on this machine is not, and is looked for.
   */
  test_connectivity(ctx, target) {
    const { name, url = '' } = target.object;
    const { hostname, port, protocol } = new URL(url);
    if (!loopback.test(hostname)) return undefined;
    ctx.afterCommit.push(async () => {
      const number = Number(port || (protocol === 'https:' ? 443 : 80));
      if (await ctx.site.answers(hostname.replace(/[[\]]/g, ''), number)) return;
      throw refused('PROVIDER_UNREACHABLE', { action: 'test', name, url });
    });
    return undefined;
  },

  import_certificates(ctx, { object, place }, body) {
    const provider = object as Trusting;
    const sent = (body.certificates ?? []).map((one) => read(ctx, one));
    const known = new Map([...(provider.trusted ?? []), ...sent].map((one) => [one.id, one]));
    ctx.tx.update(place.kind, { ...provider, trusted: [...known.values()] } as never);
    ctx.event('PROVIDER_CERTIFICATES_IMPORTED', {}, { ObjectName: provider.name });
    return undefined;
  },
} satisfies Readonly<Record<string, Action<ProviderKind>>>;

/** Reads a certificate that was sent, with or without the lines around it. */
function read(ctx: RuleContext, { content = '' }: Certificate): StoredObject & Certificate {
  let certificate: X509Certificate;
  try {
    const pem = content.includes('BEGIN');
    certificate = new X509Certificate(pem ? content : Buffer.from(content, 'base64'));
  } catch {
    return ctx.refuse('CERTIFICATE_INVALID', { action: 'import' });
  }
  const lines = certificate.subject.split('\n');
  const part = (name: string) =>
    lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1);
  return {
    id: namedId(certificate.fingerprint256, 'certificate'),
    name: part('CN') ?? '',
    organization: part('O') ?? '',
    subject: lines.join(','),
    content: certificate.toString().trimEnd(),
  };
}
