/** A change of the networks of a host, before it is checked and made: what there would be. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { namedId } from '../../core/digest.ts';
import { entityNotFound } from '../../core/fault.ts';
import { resolveReferences } from '../../core/input.ts';
import type { StoredObject } from '../../store/document.ts';
import { macOf } from './equip.ts';
import { type Attachment, isVlan, type Nic, nicId, nicsOf, tell, toldOf } from './nics.ts';
import { type Configuration, configurationOf } from './saved.ts';

type Network = Resource<'network'>;
type Bonding = NonNullable<Nic['bonding']>;

export class Draft {
  readonly ctx: RuleContext;
  readonly host: Resource<'host'>;
  /** Physical interfaces and bonds, by id. */
  readonly nics = new Map<string, Nic>();
  readonly attachments = new Map<string, Attachment>();
  /** Interface and label, by both. */
  readonly labels = new Map<string, { readonly nic: string; readonly id: string }>();
  /** Attachments that take over the networks as they are defined now. */
  readonly synchronized = new Set<string>();

  constructor(ctx: RuleContext, host: Resource<'host'>) {
    this.ctx = ctx;
    this.host = host;
    const now = configurationOf(ctx, this.id);
    for (const nic of nicsOf(ctx, this.id)) if (!isVlan(nic)) this.nics.set(nic.id ?? '', nic);
    for (const one of now.attachments) this.attachments.set(one.id ?? '', one);
    for (const label of now.labels) this.labels.set(`${label.nic} ${label.id}`, label);
  }

  get id(): string {
    return this.host.id ?? '';
  }

  /** What the host will have. */
  get configuration(): Configuration {
    return {
      bonds: [...this.nics.values()].filter((nic) => nic.bonding !== undefined),
      attachments: [...this.attachments.values()],
      labels: [...this.labels.values()],
    };
  }

  /** Refuses the change. */
  refuse(key: Parameters<RuleContext['refuse']>[0], words: StoredObject = {}): never {
    this.ctx.refuse(key, { action: 'set up networks of', host: this.host.name, ...words });
  }

  /** The interface that a reference names, by id or name. */
  nic(reference: { id?: string; name?: string } | undefined): Nic {
    const { id, name } = reference ?? {};
    const found = [...this.nics.values()].find((nic) =>
      id ? nic.id === id : name !== undefined && nic.name === name,
    );
    if (found) return found;
    const named = id || name;
    return named
      ? this.refuse('HOST_NIC_UNKNOWN', { nic: named })
      : this.refuse('HOST_NIC_NOT_NAMED', {});
  }

  network(attachment: Attachment): Network {
    const id = attachment.network?.id ?? '';
    const found = this.ctx.tx.get('network', id);
    if (!found) throw entityNotFound(`Network: id=${id}`);
    return found;
  }

  /** Adds a bond, or changes the one of this id or name. */
  bond(sent: Nic): void {
    const known = [...this.nics.values()].find((nic) =>
      sent.id ? nic.id === sent.id : nic.name === sent.name,
    );
    if (known && known.bonding === undefined) {
      this.refuse('NIC_IS_NO_BOND', { nic: known.name ?? '' });
    }
    if (!known && sent.id) this.refuse('HOST_NIC_UNKNOWN', { nic: sent.id });
    const name = sent.name ?? known?.name ?? '';
    const bonding: Bonding = { ...known?.bonding };
    if (sent.bonding?.options) bonding.options = sent.bonding.options;
    if (sent.bonding?.slaves) {
      bonding.slaves = sent.bonding.slaves.map((slave) => ({ id: this.nic(slave).id ?? '' }));
    }
    bonding.options ??= [{ name: 'mode', value: '4' }];
    bonding.slaves ??= [];
    const first = bonding.slaves[0]?.id;
    if (first) bonding.active_slave = { id: first };
    const id = known?.id ?? nicId(this.id, name);
    this.nics.set(id, {
      status: 'up',
      mtu: 1500,
      speed: 1_000_000_000,
      custom_configuration: false,
      override_configuration: false,
      ...known,
      id,
      name,
      mac: known?.mac ?? { address: first ? this.macOf(first) : macOf(this.id, name) },
      bonding,
      host: { id: this.id },
    });
  }

  private macOf(nic: string): string {
    return this.nics.get(nic)?.mac?.address ?? '';
  }

  removeBond(reference: Nic): void {
    const nic = this.nic(reference);
    if (nic.bonding === undefined) this.refuse('NIC_IS_NO_BOND', { nic: nic.name ?? '' });
    this.nics.delete(nic.id ?? '');
    for (const [key, label] of this.labels) if (label.nic === nic.id) this.labels.delete(key);
  }

  /** Adds an attachment, or changes the one with the id that was sent. */
  attach(sent: Attachment, merge: (before: Attachment) => Attachment): Attachment {
    const before = sent.id ? this.attachments.get(sent.id) : undefined;
    if (sent.id && !before) this.refuse('NETWORK_ATTACHMENT_UNKNOWN', { id: sent.id });
    const network = { network: sent.network, id: sent.id };
    if (before) {
      return this.keep({ ...merge(before), host_nic: { id: this.nicFor(sent, before) } }, before);
    }
    const named: StoredObject = { network: { ...sent.network } };
    resolveReferences(this.ctx.tx, 'network_attachment', named);
    const id = (named['network'] as { id?: string }).id ?? '';
    const taken = [...this.attachments.values()].find((one) => one.network?.id === id);
    if (taken) this.refuse('NETWORK_ALREADY_ON_HOST', { network: this.network(taken).name });
    const added: Attachment = {
      ...sent,
      ...network,
      id: namedId(this.id, 'attachment', id, this.ctx.site.newId()),
      network: { id },
      host_nic: { id: this.nicFor(sent, undefined) },
      host: { id: this.id },
    };
    return this.keep(added, undefined);
  }

  private nicFor(sent: Attachment, before: Attachment | undefined): string {
    return this.nic(sent.host_nic ?? before?.host_nic).id ?? '';
  }

  private keep(attachment: Attachment, before: Attachment | undefined): Attachment {
    const told = before && toldOf(before);
    const kept = told
      ? { ...attachment, ...{ applied: told } }
      : tell(attachment, this.network(attachment));
    this.attachments.set(kept.id ?? '', kept);
    return kept;
  }

  detach(reference: Attachment): void {
    const id = reference.id ?? '';
    if (!this.attachments.delete(id)) this.refuse('NETWORK_ATTACHMENT_UNKNOWN', { id });
  }

  /** Tells the host of a network as it is now. */
  synchronize(reference: Attachment): void {
    const one = this.attachments.get(reference.id ?? '');
    if (!one) this.refuse('NETWORK_ATTACHMENT_UNKNOWN', { id: reference.id ?? '' });
    this.synchronized.add(one.id ?? '');
    this.attachments.set(one.id ?? '', tell(one, this.network(one)));
  }

  /** Puts a label on an interface; networks of the cluster with that label come with it. */
  label(id: string, reference: Nic | undefined): void {
    const nic = this.nic(reference).id ?? '';
    const other = [...this.labels.values()].find((label) => label.id === id);
    if (other) {
      const key = other.nic === nic ? 'NIC_ALREADY_LABELED' : 'OTHER_NIC_LABELED';
      this.refuse(key, { label: id, nic: this.nics.get(other.nic)?.name ?? '' });
    }
    this.labels.set(`${nic} ${id}`, { nic, id });
    for (const network of this.labeled(id)) {
      const known = [...this.attachments.values()].some((one) => one.network?.id === network);
      if (!known) this.attach({ network: { id: network }, host_nic: { id: nic } }, (one) => one);
    }
  }

  /** Takes a label off; what came with it goes with it. */
  unlabel(id: string): void {
    const found = [...this.labels.entries()].find(([, label]) => label.id === id);
    if (!found) this.refuse('NIC_NOT_LABELED', { label: id });
    this.labels.delete(found[0]);
    const networks = new Set(this.labeled(id));
    for (const [key, one] of this.attachments) {
      const here = one.host_nic?.id === found[1].nic;
      if (here && networks.has(one.network?.id ?? '')) this.attachments.delete(key);
    }
  }

  /** Networks of the host's cluster that carry a label. */
  private labeled(label: string): string[] {
    const { tx } = this.ctx;
    return tx
      .list('cluster_network', {
        where: { collection: `/clusters/${this.host.cluster?.id}/networks` },
      })
      .map(({ id = '' }) => id)
      .filter((id) => tx.get('network_label', label, `/networks/${id}/networklabels`));
  }
}
