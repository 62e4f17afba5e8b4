/** `vmctl doctor`: looks for what could be wrong between here and the service, step by step. */
import { lookup } from 'node:dns/promises';
import { existsSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { VmctlError } from '../../client/errors.ts';
import { namesProxy } from '../../client/proxy-env.ts';
import { selectProxy } from '../../client/proxy-tunnel.ts';
import { fetchPresentedCa } from '../../client/trust.ts';
import { command, noun } from '../args/command.ts';
import { print } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { entryPoint, openHttp, productOf } from '../session/connect.ts';
import { type Target, targetOf } from '../session/target.ts';

type Status = 'ok' | 'warning' | 'failed';

interface Finding {
  readonly check: string;
  readonly status: Status;
  readonly detail: string;
  readonly hint?: string;
}

/** What the clocks of two machines may differ by before certificates and events mislead. */
const skewAllowed = 60_000;
const dayOfMilliseconds = 86_400_000;
const samples = 5;

async function doctor(cli: CommandContext): Promise<void> {
  const findings: Finding[] = [checkFiles(cli)];
  const target = attemptTarget(cli);
  if ('check' in target) {
    findings.push(target);
  } else {
    for (const check of [checkProxy, checkName, checkPort, checkCertificate, checkService]) {
      const found = await check(cli, target);
      findings.push(...found);
      // What comes after cannot succeed.
      if (found.some(({ status }) => status === 'failed')) break;
    }
  }
  findings.push(await checkKeyring());
  const items = findings.map((finding) => ({ ...finding }));
  await print(cli, { noun: 'checks', items, columns: ['check', 'status', 'detail'] });
  for (const { check, hint } of findings) if (hint !== undefined) cli.note(`${check}: ${hint}`);
  if (findings.some(({ status }) => status === 'failed')) cli.exitCode = 1;
}

function failed(check: string, error: unknown): Finding {
  const { message } = error as Error;
  const hint = error instanceof VmctlError ? error.hint : undefined;
  return { check, status: 'failed', detail: message, ...(hint === undefined ? {} : { hint }) };
}

/** Configuration and state: there, ours, and closed to others. */
function checkFiles(cli: CommandContext): Finding {
  const { configFile, stateDirectory } = cli.paths;
  try {
    const { contexts } = cli.configuration;
    const open = [configFile, stateDirectory].filter(
      (path) => existsSync(path) && (statSync(path).mode & 0o022) !== 0,
    );
    if (open.length > 0) {
      const detail = `group or others can write to ${open.join(' and ')}`;
      return { check: 'files', status: 'warning', detail, hint: `chmod go-w ${open.join(' ')}` };
    }
    const count = Object.keys(contexts).length;
    return { check: 'files', status: 'ok', detail: `${configFile}, ${count} contexts` };
  } catch (error) {
    return failed('files', error);
  }
}

/** Which way requests go. */
function checkProxy({ io }: CommandContext, target: Target): readonly Finding[] {
  const check = 'proxy';
  try {
    const proxy = selectProxy(target.address.origin, io.env);
    const unused = namesProxy(io.env) ? 'set, but not for this server' : 'not set';
    return [{ check, status: 'ok', detail: proxy ? `through ${proxy.host}` : unused }];
  } catch (error) {
    return [failed(check, error)];
  }
}

function attemptTarget(cli: CommandContext): Target | Finding {
  try {
    return targetOf(cli);
  } catch (error) {
    return failed('server', error);
  }
}

function hostOf({ address }: Target): { readonly host: string; readonly port: number } {
  const url = new URL(address.origin);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 443) };
}

async function checkName(cli: CommandContext, target: Target): Promise<readonly Finding[]> {
  const { host } = hostOf(target);
  // Behind a proxy, names and connections are its business.
  if (selectProxy(target.address.origin, cli.io.env)) return [];
  try {
    const found = await lookup(host, { all: true });
    const detail = `${host} is ${found.map(({ address }) => address).join(', ')}`;
    return [{ check: 'name', status: 'ok', detail }];
  } catch {
    const hint = 'check the host name in the URL and your DNS server';
    return [{ check: 'name', status: 'failed', detail: `${host} has no address`, hint }];
  }
}

async function checkPort(cli: CommandContext, target: Target): Promise<readonly Finding[]> {
  const { host, port } = hostOf(target);
  if (selectProxy(target.address.origin, cli.io.env)) return [];
  const began = performance.now();
  return await new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 10_000 });
    const end = (finding: Finding) => {
      socket.destroy();
      resolve([finding]);
    };
    const hint = 'check the port, the service and firewalls';
    const refuse = (detail: string) => end({ check: 'port', status: 'failed', detail, hint });
    socket.once('connect', () => {
      const milliseconds = Math.round(performance.now() - began);
      end({ check: 'port', status: 'ok', detail: `${host}:${port} answers in ${milliseconds} ms` });
    });
    socket.once('timeout', () => refuse(`${host}:${port} does not answer`));
    socket.once('error', ({ message }) => refuse(message));
  });
}

/** Whom the service says it is, against whom somebody agreed to trust. */
async function checkCertificate(cli: CommandContext, target: Target): Promise<readonly Finding[]> {
  const { origin } = target.address;
  try {
    const presented = await fetchPresentedCa(origin, cli.io.env, cli.signal);
    const { fingerprint, subject, validTo } = presented;
    const left = Math.floor((Date.parse(validTo) - Date.now()) / dayOfMilliseconds);
    const about = `${subject}, valid until ${validTo}`;
    if (target.pinned !== undefined && target.pinned !== fingerprint) {
      return [
        {
          check: 'certificate',
          status: 'failed',
          detail: `the certificate authority changed: ${fingerprint} instead of ${target.pinned}`,
          hint: `check the new fingerprint with the administrator of the service, then: vmctl login ${origin}`,
        },
      ];
    }
    if (left < 30) {
      const hint = 'the administrator of the service must renew the certificate';
      return [
        { check: 'certificate', status: left < 0 ? 'failed' : 'warning', detail: about, hint },
      ];
    }
    return [{ check: 'certificate', status: 'ok', detail: about }];
  } catch (error) {
    return [failed('certificate', error)];
  }
}

/** Clock, sign-in, product and delay: what requests tell. */
async function checkService(cli: CommandContext, target: Target): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  try {
    findings.push(await checkClock(cli, target));
    const client = await cli.client();
    const api = await entryPoint(client);
    const user = api['authenticated_user'] as Record<string, unknown> | undefined;
    const name = String(user?.['user_name'] ?? target.username ?? 'somebody');
    findings.push({ check: 'sign-in', status: 'ok', detail: `as ${name}` });
    findings.push({ check: 'product', status: 'ok', detail: productOf(api) });
    const times: number[] = [];
    for (let sample = 0; sample < samples; sample += 1) {
      const began = performance.now();
      await entryPoint(client);
      times.push(performance.now() - began);
    }
    const median = times.sort((a, b) => a - b)[Math.floor(samples / 2)] ?? 0;
    const detail = `${Math.round(median)} ms per request (median of ${samples})`;
    findings.push({ check: 'delay', status: 'ok', detail });
  } catch (error) {
    findings.push(failed('sign-in', error));
  }
  return findings;
}

/** The server tells its time with every answer. */
async function checkClock(cli: CommandContext, target: Target): Promise<Finding> {
  const http = await openHttp(cli, target);
  try {
    const { origin, appRoot = '' } = target.address;
    const answer = await http.send({ method: 'HEAD', origin, path: `${appRoot}/api` });
    const theirs = Date.parse(answer.headers['date'] ?? '');
    if (Number.isNaN(theirs)) {
      return { check: 'clock', status: 'warning', detail: 'the server sends no time' };
    }
    const skew = Math.abs(theirs - Date.now());
    return skew <= skewAllowed
      ? { check: 'clock', status: 'ok', detail: 'both clocks agree within a minute' }
      : {
          check: 'clock',
          status: 'warning',
          detail: `the clocks differ by ${Math.round(skew / 1_000)} s`,
          hint: 'correct the wrong clock; certificates and events depend on it',
        };
  } finally {
    await http.close();
  }
}

/** No keyring is no failure: passwords can be had otherwise. */
async function checkKeyring(): Promise<Finding> {
  const { probe } = await import('../session/keyring.ts');
  try {
    await probe();
    return { check: 'keyring', status: 'ok', detail: 'stores and returns passwords' };
  } catch (error) {
    return { check: 'keyring', status: 'warning', detail: (error as Error).message };
  }
}

export default noun({
  name: 'doctor',
  doc: 'Diagnose connection problems',
  position: 150,
  section: 'Sign in',
  commands: [
    command({
      notes: `Checks files, name, proxy, connection, certificate, clock, sign-in, product, latency and keyring.\nExit code 1: a check failed. The output contains no secrets.`,
      examples: ['vmctl doctor', 'vmctl doctor -o json'],
      exits: [1],
      unshowable: 'many',
      onlyReads: true,
      run: (cli) => doctor(cli),
    }),
  ],
});
