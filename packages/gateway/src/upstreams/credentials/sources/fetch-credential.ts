// The only fetch that may reach metadata services, each at its fixed address. All else that a source of credentials calls is https, or
// on this machine. No redirects, no proxy; small answers; one more attempt where none came, since all these calls may be repeated.
import { isLoopback } from '@trivium/http/addresses/client-address.ts'
import { formatIp } from '@trivium/http/addresses/ip-address.ts'
import { safeText } from '../../../observe/safe-text.ts'
import { askTarget } from '../../public/ask-public.ts'
import { parseTarget, type Resolve, type Target } from '../../public/guard-public.ts'
import { PublicFetchError, type PublicFetchReason } from '../../public/public-fetch-error.ts'
import { type Deadline, guardUntil, type PublicRequest } from '../../public/send-public.ts'
import { SourceFailed } from '../credential.ts'
import { CredentialAnswer } from './answer.ts'

/** By cloud: instances, then pods and tasks. Nothing but this file connects to them. */
export const METADATA = {
  instance: 'http://169.254.169.254',
  instanceIpv6: 'http://[fd00:ec2::254]',
  container: 'http://169.254.170.2',
  pod: 'http://169.254.170.23',
  podIpv6: 'http://[fd00:ec2::23]',
} as const
const METADATA_ORIGINS: ReadonlySet<string> = new Set(Object.values(METADATA))

export type CredentialCall = Partial<PublicRequest> & {
  url: string
  /** What no message may repeat, should an answer do so. */
  secrets?: readonly string[]
  /** What to do where nothing answers: a service that is only there on some machines. */
  absent?: string
}

/** `what`: the source and the step, for errors. */
export type CredentialFetch = (what: string, call: CredentialCall, signal: AbortSignal) => Promise<CredentialAnswer>

export type FetchOptions = {
  now(): number
  /** The one of managed identities, as the platform names it: link-local on some. */
  identityEndpoint?: string | undefined
  /** One attempt at a vendor, and at a metadata service, which is near or absent. */
  timeoutMs?: number
  metadataTimeoutMs?: number
  /** Servers of tests by the origin that they stand for. */
  standIns?: ReadonlyMap<string, string>
  resolve?: Resolve
}

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const MOST_BYTES = 64 * 1024
/** Together less than a request waits. */
const METADATA_TIMEOUT_MS = 2_000
const TIMEOUT_MS = 5_000
const MOST_ATTEMPTS = 2

/** With these nothing has been decided yet. */
const TRANSIENT: readonly PublicFetchReason[] = ['unresolved', 'unreachable', 'timed_out', 'broken']

const REASONS: Readonly<Record<PublicFetchReason, string>> = {
  bad_url: 'is not allowed: write an https URL, or one of this machine',
  not_public: 'does not lead to a host that credentials come from',
  unresolved: 'has a host whose name is not found',
  unreachable: 'cannot be connected to',
  untrusted: 'has no valid certificate for its name',
  redirected: 'redirects, which is not followed',
  encoded: 'sends compressed content',
  too_large: `sends more than ${MOST_BYTES / 1024} KiB`,
  timed_out: 'does not answer in time',
  broken: 'does not send a complete HTTP response',
  aborted: 'was not waited for any longer',
}

export function createCredentialFetch(options: FetchOptions): CredentialFetch {
  const { now, identityEndpoint, timeoutMs = TIMEOUT_MS, metadataTimeoutMs = METADATA_TIMEOUT_MS, standIns } = options
  const metadata = new Set([...METADATA_ORIGINS, ...originOf(identityEndpoint)])

  /** Where the call goes. Names and addresses of metadata services that are not in the list above are rejected with all others. */
  async function targetOf(url: string, deadline: Deadline): Promise<Target> {
    const origin = new URL(url).origin
    const standIn = standIns?.get(origin)
    const { literal, ...fixed } = parseTarget(standIn === undefined ? url : url.replace(origin, standIn))
    if (literal !== undefined && (standIn !== undefined || metadata.has(origin)))
      return { ...fixed, addresses: [literal] }
    const target = await guardUntil(url, { ...options, allowPrivate: true }, deadline)
    const isHere = target.addresses.every((ip) => isLoopback(formatIp(ip)))
    if (target.url.protocol !== 'https:' && !isHere) throw new PublicFetchError('bad_url')
    return target
  }

  async function attempt(what: string, call: CredentialCall, signal: AbortSignal): Promise<CredentialAnswer> {
    const { url, method = call.body === undefined ? 'GET' : 'POST', headers, body, secrets = [] } = call
    const request = {
      method,
      headers: { ...headers, host: new URL(url).host },
      ...(body === undefined ? {} : { body }),
    }
    const isMetadata = metadata.has(new URL(url).origin)
    const limits = { maxBytes: MOST_BYTES, signal, timeoutMs: isMetadata ? metadataTimeoutMs : timeoutMs }
    const answer = await askTarget((deadline) => targetOf(url, deadline), request, limits)
    return new CredentialAnswer(answer, { what: `${what}: ${placeOf(url)}`, secrets, now })
  }

  return async (what, call, signal) => {
    if (!URL.canParse(call.url)) throw new SourceFailed(`${what}: ${placeOf(call.url)} ${REASONS.bad_url}`)
    for (let attempts = 1; ; attempts++) {
      const isLast = attempts === MOST_ATTEMPTS
      try {
        const answer = await attempt(what, call, signal)
        if (isLast || (answer.status < 500 && answer.status !== 429)) return answer
      } catch (error) {
        if (!(error instanceof PublicFetchError)) throw error
        if (!isLast && TRANSIENT.includes(error.reason)) continue
        const message = `${what}: ${placeOf(call.url)} ${REASONS[error.reason]}`
        throw new SourceFailed(call.absent === undefined ? message : `${message}. ${call.absent}`)
      }
    }
  }
}

const originOf = (url: string | undefined): string[] => (url && URL.canParse(url) ? [new URL(url).origin] : [])

/** Without the query, which may be secret. */
function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'the URL'
  const { origin, pathname } = new URL(url)
  return safeText(origin + pathname)
}
