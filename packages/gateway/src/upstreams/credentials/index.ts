// The credentials of all upstreams that have no keys. Upstreams with the same `auth` share one, also across configurations, so that a
// reload reads none again.
import type { CloudEnvironment } from '../../config/settings/cloud-variables.ts'
import type { Upstream, UpstreamAuth } from '../../config/types.ts'
import { authServiceOf } from '../../config/upstream-kinds.ts'
import type { Log } from '../../observe/log.ts'
import { KINDS } from '../kinds/index.ts'
import { createClockSkew } from './clock-skew.ts'
import {
  type AboutToBeSent,
  type AwsKeys,
  type CloudCredential,
  CredentialUnavailable,
  type Source,
} from './credential.ts'
import { noteSecrets } from './in-use.ts'
import { Renewing, type RenewingOptions } from './renewing.ts'
import { createSigner } from './signer.ts'
import { awsSource } from './sources/aws/index.ts'
import { entraSource } from './sources/entra/index.ts'
import { googleSource } from './sources/google/index.ts'
import type { SourceTools } from './sources/tools.ts'

export type Credentials = {
  /** The upstream has `auth`. The same object for the same upstream. */
  of(upstream: Upstream): CloudCredential
  /** Renews what is due, and forgets those that none of these upstreams has. */
  keepFor(upstreams: Iterable<Upstream>): Promise<void>
}

export type CredentialOptions = Pick<RenewingOptions, 'now' | 'after'> & {
  tools: SourceTools
  log: Pick<Log, 'warn' | 'info'>
}

type Auth<Type> = Extract<UpstreamAuth, { type: Type }>

export function createCredentials({ tools, log, ...clocks }: CredentialOptions): Credentials {
  const known = new Map<string, Renewing<unknown>>()
  const byUpstream = new WeakMap<Upstream, CloudCredential>()

  /** `name`: tells its source from all others. */
  function renewing<T>(name: string, { id }: Upstream, source: () => Source<T>): Renewing<T> {
    const found = known.get(name) as Renewing<T> | undefined
    const options = {
      ...clocks,
      failed: (error: string) => log.warn('upstream credential cannot be renewed', { upstream: id, error }),
      recovered: () => log.info('upstream credential is renewed again', { upstream: id }),
    }
    const made = found ?? new Renewing(source(), options)
    known.set(name, made)
    return made
  }

  function make(upstream: Upstream, auth: UpstreamAuth): CloudCredential {
    switch (auth.type) {
      case 'aws':
        return signed(upstream, auth)
      case 'google':
        return bearer(
          upstream,
          renewing(nameOf(upstream), upstream, () => googleSource(auth, tools)),
        )
      default:
        return bearer(
          upstream,
          renewing(nameOf(upstream), upstream, () => entraSource(auth, serviceOf(upstream) ?? '', tools)),
        )
    }
  }

  function bearer(upstream: Upstream, tokens: Renewing<string>): CloudCredential {
    return ofParts(upstream, tokens, async (_, token) => ({ authorization: `Bearer ${token}` }))
  }

  function signed(upstream: Upstream, auth: Auth<'aws'>): CloudCredential {
    const keys = renewing(nameOf(upstream), upstream, () => awsSource(auth, tools))
    const { host } = new URL(upstream.baseUrl)
    const { AWS_REGION, AWS_DEFAULT_REGION } = tools.variables
    const region = auth.region ?? REGION.exec(host)?.[1] ?? AWS_REGION ?? AWS_DEFAULT_REGION
    const service = serviceOf(upstream)
    if (region === undefined || service === undefined)
      return ofParts<AwsKeys>(upstream, keys, () => {
        throw new CredentialUnavailable('the region is not known: set auth.region of the upstream, or AWS_REGION')
      })
    const sign = createSigner({ service, region })
    return ofParts<AwsKeys>(upstream, keys, (request, value) => sign(request, value, clocks.now()))
  }

  function ofParts<T>(
    upstream: Upstream,
    parts: Renewing<T>,
    headersOf: (request: AboutToBeSent, value: T) => Promise<Record<string, string>>,
  ): CloudCredential {
    const given = new WeakMap<object, T>()
    const skew = createClockSkew(clocks.now, (ahead_ms) =>
      log.warn('clock differs from that of the upstream', { upstream: upstream.id, ahead_ms }),
    )
    if (upstream.auth) noteSecrets(upstream.auth, () => parts.lastTwo)
    return {
      async headersFor(request) {
        const value = await parts.value()
        const headers = await headersOf(request, value)
        given.set(headers, value)
        return headers
      },
      async renew(rejected) {
        const value = given.get(rejected)
        return value !== undefined && (await parts.renew(value))
      },
      check: () => parts.check(),
      noteDate: skew.note,
      state: () => ({
        source: parts.source,
        expiresAt: parts.expiresAt,
        problem: parts.problem,
        skewMs: skew.current(),
      }),
    }
  }

  function of(upstream: Upstream): CloudCredential {
    let credential = byUpstream.get(upstream)
    if (!credential) {
      if (!upstream.auth) throw new Error(`the upstream ${upstream.id} has keys`)
      credential = make(upstream, upstream.auth)
      byUpstream.set(upstream, credential)
    }
    return credential
  }

  return {
    of,
    async keepFor(upstreams) {
      const authorised = [...upstreams].filter(({ auth }) => auth)
      const names = new Set(authorised.map(nameOf))
      for (const name of known.keys()) if (!names.has(name)) known.delete(name)
      await Promise.all(authorised.map((upstream) => of(upstream).check()))
    },
  }
}

/** The name in signatures, or the scope of tokens. */
function serviceOf({ kind, baseUrl }: Upstream): string | undefined {
  const described = KINDS.get(kind)
  return described && authServiceOf(described, baseUrl)
}

/** The map of them must not keep secrets that were removed from the configuration. */
function nameOf(upstream: Upstream): string {
  const { auth } = upstream
  const scope = auth?.type === 'entra' ? serviceOf(upstream) : undefined
  return new Bun.CryptoHasher('sha256').update(JSON.stringify([auth, scope])).digest('base64url')
}

/** In hosts of AWS. */
const REGION = /\.([a-z]{2}(?:-[a-z]+)+-\d+)\.(?:amazonaws\.com|api\.aws)/

/** The variables of a process that has none. */
export const NO_CLOUDS: CloudEnvironment = { variables: {}, forPrograms: {} }
