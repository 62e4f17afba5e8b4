/** Errors of sockets and TLS handshakes, explained to users. */
import { getErrorMessage } from '../caught-errors.ts';
import { isRecord, toRecord } from '../records.ts';
import { ConnectionError, TrustError, VmctlError } from './errors.ts';

interface ConnectionTarget {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
}

interface Explanation {
  readonly why: string;
  readonly hint: string;
  readonly code?: string;
}

const trustHint = 'check and trust the certificate with vmctl login, or use --ca-file FILE';

/** Explanations by the code of Node or undici, or by the name of an error without a code. */
const connection: Readonly<Record<string, Explanation>> = {
  ENOTFOUND: { why: 'host not found', hint: 'check the host name in the URL and your DNS server' },
  EAI_AGAIN: { why: 'the DNS server does not respond', hint: 'check the network' },
  ECONNREFUSED: {
    why: 'connection refused',
    hint: 'check the port, and that the service is running',
  },
  EHOSTUNREACH: { why: 'no route to host', hint: 'check the network' },
  ENETUNREACH: { why: 'network unreachable', hint: 'check the network' },
  ETIMEDOUT: { why: 'the host does not respond', hint: 'check the address and firewalls' },
  UND_ERR_CONNECT_TIMEOUT: {
    why: 'the host does not respond',
    hint: 'check the address and firewalls',
  },
  UND_ERR_HEADERS_TIMEOUT: {
    why: 'the server accepted the request but does not respond',
    hint: 'try again later; --idle-timeout and VMCTL_IDLE_TIMEOUT set the limit',
    code: 'timeout',
  },
  UND_ERR_BODY_TIMEOUT: {
    why: 'the response ended early',
    hint: 'try again',
    code: 'connection_lost',
  },
  UND_ERR_SOCKET: {
    why: 'the server closed the connection',
    hint: 'try again',
    code: 'connection_lost',
  },
  ECONNRESET: { why: 'the connection was reset', hint: 'try again', code: 'connection_lost' },
  EPIPE: { why: 'the connection was reset', hint: 'try again', code: 'connection_lost' },
  HTTPParserError: { why: 'it does not use HTTP', hint: 'check the port in the URL' },
  EPROTO: { why: 'it does not use TLS', hint: 'check the port in the URL' },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    why: 'it does not use TLS',
    hint: 'check the port in the URL',
  },
  ERR_SSL_UNSUPPORTED_PROTOCOL: {
    why: 'it only supports insecure TLS versions',
    hint: 'the server needs TLS 1.2 or later',
  },
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: {
    why: 'it only supports insecure TLS versions',
    hint: 'the server needs TLS 1.2 or later',
  },
};

const unknownAuthority: Explanation = {
  why: 'its certificate authority is not trusted',
  hint: trustHint,
};

const trust: Readonly<Record<string, Explanation>> = {
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  CERT_SIGNATURE_FAILURE: unknownAuthority,
  CERT_UNTRUSTED: unknownAuthority,
  INVALID_CA: unknownAuthority,
  CERT_HAS_EXPIRED: {
    why: 'its certificate has expired',
    hint: 'renew it on the server, and check the clock of this computer',
    code: 'certificate_expired',
  },
  CERT_NOT_YET_VALID: {
    why: 'its certificate is not valid yet',
    hint: 'check the clock of this computer',
    code: 'certificate_expired',
  },
  CERT_REVOKED: { why: 'its certificate was revoked', hint: 'renew it on the server' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    why: 'its certificate is for another host',
    hint: 'use the host name of the certificate',
    code: 'wrong_host',
  },
};

/** Converts an error of undici or Node. Returns errors of this program unchanged. */
export function connectionError(error: unknown, request: ConnectionTarget): VmctlError | Error {
  if (error instanceof VmctlError) return error;
  const code = findErrorCode(error);
  const host = new URL(request.origin).host;
  const context = {
    request: { method: request.method, path: request.path },
    cause: error,
  };
  const distrusted = trust[code];
  if (distrusted) {
    return new TrustError(
      `${host} is not trusted: ${distrusted.why}${findCertificateNames(error)}`,
      {
        ...context,
        hint: distrusted.hint,
        ...(distrusted.code ? { code: distrusted.code } : {}),
      },
    );
  }
  const known = connection[code];
  if (known) {
    return new ConnectionError(`cannot connect to ${host}: ${known.why}`, {
      ...context,
      hint: known.hint,
      retryable: true,
      ...(known.code ? { code: known.code } : {}),
    });
  }
  const message = getErrorMessage(error);
  if (code !== '' || error instanceof AggregateError) {
    return new ConnectionError(`cannot connect to ${host}: ${message}`, {
      ...context,
      hint: 'check the URL and the network',
    });
  }
  return error instanceof Error ? error : new Error(message);
}

/** Most specific code of an error, its cause, or one of several attempts. */
function findErrorCode(error: unknown): string {
  if (!isRecord(error)) return '';
  const { name, code, cause, errors } = error;
  if (name === 'HTTPParserError') return name;
  if (typeof code === 'string' && code !== 'UND_ERR_SOCKET') {
    return code.startsWith('ERR_SSL_') && !(code in connection) ? 'EPROTO' : code;
  }
  const inner = findErrorCode(cause) || (Array.isArray(errors) ? findErrorCode(errors[0]) : '');
  return inner || (typeof code === 'string' ? code : '');
}

/** Names in a certificate for another host. */
function findCertificateNames(error: unknown): string {
  const { reason } = toRecord(error);
  const names = typeof reason === 'string' ? /altnames: (.+)$/.exec(reason)?.[1] : undefined;
  return names === undefined ? '' : ` (it is for ${names.replaceAll(/DNS:|IP Address:/g, '')})`;
}
