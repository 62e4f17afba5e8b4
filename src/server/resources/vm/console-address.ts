/** Where the consoles of a running machine are, and how a viewer knows that it is there. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import type { Vm } from './vm.ts';

export interface ConsoleAddress {
  readonly address: string;
  readonly port: number;
  /** SPICE alone has one. */
  readonly tls_port?: number;
}

/** Address and ports of a console of a machine; undefined while it runs nowhere. */
export function consoleAddress(
  ctx: RuleContext,
  vm: Vm | undefined,
  protocol: string | undefined,
): ConsoleAddress | undefined {
  const address = ctx.tx.get('host', vm?.host?.id ?? '')?.address;
  if (!vm || !address) return undefined;
  const port = portOf(vm);
  return protocol === 'spice' ? { address, port, tls_port: port + 1000 } : { address, port };
}

/** Port of the console, the same whenever the machine runs. */
function portOf(vm: Pick<Vm, 'id'>): number {
  return 5900 + (Number.parseInt((vm.id ?? '0').slice(0, 8), 16) % 1000);
}

/** Whom a viewer has to find at the other end: a host, vouched for by the authority. */
export function consoleCertificate(ctx: RuleContext, vm: Vm): Resource<'certificate'> {
  const host = ctx.tx.get('host', vm.host?.id ?? '');
  const organization = host?.certificate?.organization ?? ctx.site.dialect.origin;
  const subject = host?.certificate?.subject ?? `O=${organization},CN=${host?.address ?? ''}`;
  return { content: ctx.site.certificates.ca, organization, subject };
}

/** The display of a machine that runs: SPICE has a port of its own for TLS, and a certificate. */
export function displayOfRun(ctx: RuleContext, vm: Vm): NonNullable<Vm['display']> {
  const reached = consoleAddress(ctx, vm, vm.display?.type);
  if (!reached) return { ...vm.display };
  const { tls_port: secure, ...plain } = reached;
  return {
    ...vm.display,
    ...plain,
    ...(secure === undefined
      ? {}
      : { secure_port: secure, certificate: consoleCertificate(ctx, vm) }),
  };
}
