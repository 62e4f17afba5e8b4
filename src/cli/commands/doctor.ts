/** `vmctl doctor`: diagnosis of the connection to the service, step by step. */

import { lookup } from 'node:dns/promises';
import { existsSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { getErrorMessage } from '../../caught-errors.ts';
import { VmctlError } from '../../client/errors.ts';
import { namesProxy } from '../../client/proxy-env.ts';
import { selectProxy } from '../../client/proxy-tunnel.ts';
import { fetchPresentedCa } from '../../client/trust.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import { printView } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { fetchEntryPoint, formatProduct, openHttp } from '../session/connect.ts';
import { resolveServer, type ServerTarget } from '../session/server-target.ts';

type Status = 'ok' | 'warning' | 'failed';

interface Finding {
  readonly check: string;
  readonly status: Status;
  readonly detail: string;
  readonly hint?: string;
}

/** Tolerated clock difference in milliseconds; larger ones affect certificates and events. */
const maxSkewMs = 60_000;
const dayOfMilliseconds = 86_400_000;
const samples = 5;

async function runDoctor(cli: CommandContext): Promise<void> {
  const findings: Finding[] = [checkFiles(cli)];
  const target = findTarget(cli);
  if ('check' in target) {
    findings.push(target);
  } else {
    for (const check of [checkProxy, checkName, checkPort, checkCertificate, checkService]) {
      const found = await check(cli, target);
      findings.push(...found);
      // Later checks depend on this one.
      if (found.some(({ status }) => status === 'failed')) break;
    }
  }
  findings.push(await checkKeyring());
  const items = findings.map((finding) => ({ ...finding }));
  await printView(cli, { noun: 'checks', items, columns: ['check', 'status', 'detail'] });
  for (const { check, hint } of findings) if (hint !== undefined) cli.note(`${check}: ${hint}`);
  if (findings.some(({ status }) => status === 'failed')) cli.exitCode = 1;
}

function createFailure(check: string, error: unknown): Finding {
  const detail = getErrorMessage(error);
  const hint = error instanceof VmctlError ? error.hint : undefined;
  return { check, status: 'failed', detail, ...(hint === undefined ? {} : { hint }) };
}

/** Checks the permissions of configuration and state. */
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
    return createFailure('files', error);
  }
}

/** Checks the proxy settings. */
function checkProxy({ io }: CommandContext, target: ServerTarget): readonly Finding[] {
  const check = 'proxy';
  try {
    const proxy = selectProxy(target.address.origin, io.env);
    const unused = namesProxy(io.env) ? 'set, but not for this server' : 'not set';
    return [{ check, status: 'ok', detail: proxy ? `through ${proxy.host}` : unused }];
  } catch (error) {
    return [createFailure(check, error)];
  }
}

function findTarget(cli: CommandContext): ServerTarget | Finding {
  try {
    return resolveServer(cli);
  } catch (error) {
    return createFailure('server', error);
  }
}

function parseHost({ address }: ServerTarget): { readonly host: string; readonly port: number } {
  const url = new URL(address.origin);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 443) };
}

async function checkName(cli: CommandContext, target: ServerTarget): Promise<readonly Finding[]> {
  const { host } = parseHost(target);
  // A proxy resolves names and opens connections.
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

async function checkPort(cli: CommandContext, target: ServerTarget): Promise<readonly Finding[]> {
  const { host, port } = parseHost(target);
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

/** Compares the presented certificate authority with the pinned one. */
async function checkCertificate(
  cli: CommandContext,
  target: ServerTarget,
): Promise<readonly Finding[]> {
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
    return [createFailure('certificate', error)];
  }
}

/** Checks clock, sign-in, product and latency with requests. */
async function checkService(
  cli: CommandContext,
  target: ServerTarget,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  try {
    findings.push(await checkClock(cli, target));
    const client = await cli.client();
    const api = await fetchEntryPoint(client);
    const name = api.authenticated_user?.user_name ?? target.username ?? 'somebody';
    findings.push({ check: 'sign-in', status: 'ok', detail: `as ${name}` });
    findings.push({ check: 'product', status: 'ok', detail: formatProduct(api) });
    const times: number[] = [];
    for (let sample = 0; sample < samples; sample += 1) {
      const began = performance.now();
      await fetchEntryPoint(client);
      times.push(performance.now() - began);
    }
    const median = times.sort((a, b) => a - b)[Math.floor(samples / 2)] ?? 0;
    const detail = `${Math.round(median)} ms per request (median of ${samples})`;
    findings.push({ check: 'delay', status: 'ok', detail });
  } catch (error) {
    findings.push(createFailure('sign-in', error));
  }
  return findings;
}

/** Compares the clocks with the Date header of a response. */
async function checkClock(cli: CommandContext, target: ServerTarget): Promise<Finding> {
  const http = await openHttp(cli, target);
  try {
    const { origin, appRoot = '' } = target.address;
    const answer = await http.send({ method: 'HEAD', origin, path: `${appRoot}/api` });
    const theirs = Date.parse(answer.headers['date'] ?? '');
    if (Number.isNaN(theirs)) {
      return { check: 'clock', status: 'warning', detail: 'the server sends no time' };
    }
    const skew = Math.abs(theirs - Date.now());
    return skew <= maxSkewMs
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

/** A missing keyring is a warning, because other password sources exist. */
async function checkKeyring(): Promise<Finding> {
  const { probeKeyring } = await import('../session/keyring.ts');
  try {
    await probeKeyring();
    return { check: 'keyring', status: 'ok', detail: 'stores and returns passwords' };
  } catch (error) {
    return { check: 'keyring', status: 'warning', detail: getErrorMessage(error) };
  }
}

export default defineNoun({
  name: 'doctor',
  doc: 'Diagnose connection problems',
  position: 150,
  section: 'Sign in',
  commands: [
    defineCommand({
      notes: `Checks files, name, proxy, connection, certificate, clock, sign-in, product, latency and keyring.\nExit code 1: a check failed. The output contains no secrets.`,
      examples: ['vmctl doctor', 'vmctl doctor -o json'],
      exits: [1],
      unshowable: 'many',
      onlyReads: true,
      run: (cli) => runDoctor(cli),
    }),
  ],
});
