// No URL that comes from anywhere leads to a metadata service: every way out, in every spelling, also where private hosts are allowed.
import { describe, expect, test } from 'bun:test'
import { isMetadataAddress, parseIp } from '@trivium/http/addresses/ip-address.ts'
import { classifyUrl, isMetadataUrl } from '@trivium/http/addresses/url-guard.ts'
import { METADATA_HOSTS, METADATA_URLS } from '../../../test-support/metadata-hosts.ts'
import { targetsOf } from '../../alerts/targets.ts'
import { assemble } from '../../config/assemble.ts'
import type { SignInProvider } from '../../config/sections/sign-in.ts'
import type { FileConfig } from '../../config/types.ts'
import { createProviders } from '../../console-api/providers/providers.ts'
import { Failure } from '../../request/failure.ts'
import { BUILT_IN } from '../../server/config.ts'
import { askPublic } from '../../upstreams/public/ask-public.ts'
import { downloadPublic } from '../../upstreams/public/download-public.ts'
import { fetchPublic } from '../../upstreams/public/fetch-public.ts'
import { postPublic } from '../../upstreams/public/post-public.ts'
import { PublicFetchError } from '../../upstreams/public/public-fetch-error.ts'
import { checkFetchable } from './fetch-media.ts'
import { checkCallbackUrl, offerForUrls } from './url-policy.ts'

/** A door that opens would be asked where the name leads, or connect. */
const asked: string[] = []
const options = {
  maxBytes: 100,
  timeoutMs: 10_000,
  idleMs: 10_000,
  allowPrivate: true,
  allowHost: () => true,
  resolve: async (host: string) => {
    asked.push(host)
    return ['127.0.0.1']
  },
}
const post = { ...options, body: '{}', contentType: 'application/json' }
const never = () => () => {}
const providers = createProviders({ after: never, clock: () => 0 })
const provider = (issuer: string): SignInProvider => ({
  id: 'company',
  name: 'company',
  issuer,
  clientId: 'trivium',
  clientSecret: 'x',
  domains: [],
  scopes: ['openid'],
  groupsClaim: undefined,
  roles: new Map(),
  priceGroups: new Map(),
  allowPrivate: true,
})
type Alerting = Pick<FileConfig, 'alerts' | 'mail'>

const offer = { candidates: [{ upstream: { allowPrivate: true, sharedObjects: true } }], tiers: [], fallbacks: [] }

/** What each does with a URL. */
const DOORS: Record<string, (url: string) => unknown> = {
  'an image that the gateway fetches': (url) => checkFetchable(url),
  'an image that the upstream fetches': (url) =>
    offerForUrls(offer as never, { urls: [{ field: 'image_url', url }] }, {} as never),
  'the callback of a task, when it is submitted': (url) => checkCallbackUrl(url, true),
  'the callback of a task, when it is called': (url) => postPublic(url, post),
  'a fetch': (url) => fetchPublic(url, options),
  'a result of an upstream': async (url) => (await downloadPublic(url, { ...options, redirects: 3 })).discard(),
  'a small request': (url) => askPublic(url, { method: 'GET', headers: {} }, options),
}

const isRejection = (error: unknown): boolean =>
  error instanceof Failure || (error instanceof PublicFetchError && ['bad_url', 'not_public'].includes(error.reason))

/** Those that are not rejected before anything is asked or sent. */
async function passing(door: (url: string) => unknown, urls: readonly string[]): Promise<string[]> {
  const passed: string[] = []
  for (const url of urls) {
    const before = asked.length
    const outcome = await Promise.resolve()
      .then(() => door(url))
      .then(
        () => 'passed',
        (error: unknown) => (isRejection(error) ? 'rejected' : String(error)),
      )
    if (outcome !== 'rejected' || asked.length !== before) passed.push(`${url}: ${outcome}`)
  }
  return passed
}

test.each(Object.entries(DOORS))('%s', async (_, door) => {
  expect(await passing(door, METADATA_URLS)).toEqual([])
})

test('the classes of URLs', () => {
  expect(METADATA_URLS.filter((url) => classifyUrl(url) !== 'forbidden')).toEqual([])
  expect(METADATA_URLS.filter((url) => !isMetadataUrl(url))).toEqual([])
  for (const url of [
    'http://127.0.0.1/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[64:ff9b::808:808]/',
    'http://[fd12::1]/',
    'https://metadata.example.com/',
    'x',
  ])
    expect(isMetadataUrl(url)).toBe(false)
})

describe('the discovery of a provider, and a webhook of alerts', () => {
  const urls = METADATA_URLS.filter((url) => URL.canParse(url))

  test('discovery', async () => {
    const begun = (url: string) => providers.begin(provider(url), 'https://gw.example.com/callback')
    expect(await passing(begun, urls)).toEqual([])
  })

  test('webhooks', async () => {
    const alerted = async (url: string) => {
      const alerts = { webhooks: [{ url, secret: 'whsec_x' }], email: [], allowPrivate: true }
      const [target] = targetsOf({ alerts } as unknown as Alerting, { postPublic, clock: () => 0 })
      await target?.send({ id: '1', body: '{}' })
    }
    expect(await passing(alerted, urls)).toEqual([])
  })
})

describe('names that lead there', () => {
  const hosts = [
    '169.254.169.254',
    '169.254.170.23',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '100.100.100.200',
  ]
  const byResolver: Record<string, (url: string, more: object) => unknown> = {
    fetch: (url, more) => fetchPublic(url, { ...options, ...more }),
    post: (url, more) => postPublic(url, { ...post, ...more }),
    ask: (url, more) => askPublic(url, { method: 'GET', headers: {} }, { ...options, ...more }),
    download: (url, more) => downloadPublic(url, { ...options, ...more }),
  }

  test.each(Object.entries(byResolver))('%s', async (_, door) => {
    for (const host of hosts) {
      const more = { resolve: async () => ['127.0.0.1', host] }
      expect(await passing((url) => door(url, more), ['http://inside.example/', 'https://inside.example/'])).toEqual([])
    }
  })

  test('connections of upstreams are judged by the address that they have', () => {
    for (const host of hosts) {
      const ip = parseIp(host)
      expect(ip && isMetadataAddress(ip)).toBe(true)
    }
  })
})

describe('an upstream', () => {
  const fields = {
    base_url: (url: string) => ({ base_url: `${url}/v1` }),
    proxy: (proxy: string) => ({ base_url: 'https://up.example.com/v1', proxy }),
  }
  const urls = METADATA_HOSTS.flatMap((host) => [`http://${host}`, `https://${host}:8443`])

  test.each(Object.entries(fields))('its %s in the file', (_, written) => {
    const lines = urls.map(
      (url, index) => `  - ${JSON.stringify({ id: `u${index}`, dialect: 'chat', keys: ['k'], ...written(url) })}`,
    )
    const { mistakes } = assemble(
      { source: `upstreams:\n${lines.join('\n')}\n`, file: '/etc/trivium.yaml', env: {} },
      BUILT_IN,
    )
    const rejected = new Set(mistakes.map(({ line }) => line))
    expect(urls.filter((_, index) => !rejected.has(index + 2))).toEqual([])
  })

  test.each(Object.entries(fields))('its %s in a stored entry', (_, written) => {
    const stored = urls.map((url, index) => ({
      kind: 'upstream' as const,
      id: `u${index}`,
      revision: 1,
      value: { dialect: 'chat', keys: ['k'], ...written(url) },
    }))
    const result = assemble({ source: '', file: '/etc/trivium.yaml', env: {}, stored }, BUILT_IN)
    expect(result.config && [...result.config.upstreams.keys()].filter((id) => id.startsWith('u'))).toEqual([])
  })

  test('hosts of the file that are special otherwise stay possible', () => {
    const source = 'upstreams: [{ id: local, dialect: chat, base_url: "http://0.0.0.0:8000/v1", keys: [k] }]\n'
    expect(assemble({ source, file: '/etc/trivium.yaml', env: {} }, BUILT_IN).mistakes).toEqual([])
  })
})
