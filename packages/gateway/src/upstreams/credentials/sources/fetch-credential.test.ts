// The fetch of credentials: what it reaches, and what it makes of services that misbehave.
import { describe, expect, test } from 'bun:test'
import {
  asItShould,
  fails,
  hangs,
  isHuge,
  type Misbehaviour,
  neverEnds,
  redirects,
  says,
  stalls,
} from '../../../../test-support/clouds/clouds.ts'
import { failureOf, readNow, useClouds } from '../../../../test-support/clouds/use-clouds.ts'
import type { Source } from '../credential.ts'
import { awsSource } from './aws/index.ts'
import { entraSource } from './entra/index.ts'
import { createCredentialFetch, METADATA } from './fetch-credential.ts'
import { googleSource } from './google/index.ts'
import type { SourceTools } from './tools.ts'

const setup = useClouds()
const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const ROLE = 'arn:aws:iam::1:role/fetch'
const SCOPE = 'https://ai.azure.com/.default'

/** A source of each kind of answer: XML, JSON by POST and by GET, text. The number of requests that a read takes. */
const SOURCES: Record<string, { source(tools: SourceTools): Source<unknown>; requests: number }> = {
  STS: {
    source: (tools) =>
      awsSource({ type: 'aws', accessKey: 'AKIDEXAMPLEEXAMPLE1', secretKey: SECRET, roleArn: ROLE }, tools),
    requests: 1,
  },
  'instance metadata of AWS': { source: (tools) => awsSource({ type: 'aws' }, tools), requests: 3 },
  'metadata of Google Cloud': { source: (tools) => googleSource({ type: 'google' }, tools), requests: 1 },
  Entra: {
    source: (tools) => {
      const { tenant, clientId, secret } = setup.clouds.entra.state
      return entraSource({ type: 'entra', tenant, clientId, clientSecret: secret }, SCOPE, tools)
    },
    requests: 1,
  },
  'managed identity': { source: (tools) => entraSource({ type: 'entra' }, SCOPE, tools), requests: 1 },
}

/** What comes of it, and how many requests were sent. */
async function meet(name: string, misbehaviours: Misbehaviour[], timeoutMs = 5_000) {
  const { clouds } = setup
  clouds.aws.roles.set(ROLE, { trusts: ['AKIDEXAMPLEEXAMPLE1'] })
  const found = SOURCES[name]
  if (!found) throw new Error(name)
  const before = clouds.requests.length
  clouds.next(...misbehaviours)
  const reading = readNow(found.source(setup.tools({}, { timeoutMs, metadataTimeoutMs: timeoutMs })))
  const outcome = await reading.then(
    () => 'given' as const,
    () => failureOf(reading, [SECRET, clouds.entra.state.secret]),
  )
  return { outcome, sent: clouds.requests.length - before, whole: found.requests }
}

describe.each(Object.keys(SOURCES))('%s', (name) => {
  test.each<[string, Misbehaviour]>([
    ['fails', fails(500)],
    ['is overloaded', fails(503, 'busy')],
    ['throttles', fails(429)],
  ])('that %s once is asked again, once', async (_, misbehaviour) => {
    expect(await meet(name, [misbehaviour])).toMatchObject({
      outcome: 'given',
      sent: (SOURCES[name]?.requests ?? 0) + 1,
    })
    const twice = await meet(name, [misbehaviour, misbehaviour])
    expect(twice).toMatchObject({ outcome: expect.stringMatching(/answers with status (500|503|429)/), sent: 2 })
  })

  test.each<[string, Misbehaviour]>([
    ['does not answer', hangs],
    ['stalls within its answer', stalls],
  ])('that %s is asked again, and then given up', async (_, misbehaviour) => {
    expect(await meet(name, [misbehaviour, misbehaviour], 50)).toMatchObject({
      outcome: expect.stringContaining('does not answer in time'),
      sent: 2,
    })
  })

  test.each<[string, Misbehaviour, string]>([
    ['redirects', redirects, 'redirects, which is not followed'],
    ['sends too much', isHuge, 'sends more than 64 KiB'],
    ['sends without end', neverEnds, 'sends more than 64 KiB'],
    ['sends compressed content', says('x', { 'content-encoding': 'gzip' }), 'sends compressed content'],
    ['rejects', fails(403, 'no'), 'answers with status 403'],
  ])('that %s is not asked again', async (_, misbehaviour, message) => {
    expect(await meet(name, [misbehaviour])).toMatchObject({ outcome: expect.stringContaining(message), sent: 1 })
  })

  test.each([
    '',
    'null',
    '[]',
    '<html>',
    '{"access_token":',
    '{}',
    '{"access_token":"a","expires_in":"soon"}',
    '{"access_token":"a\\r\\nb","expires_in":3600}',
    '{"access_token":7,"expires_in":3600}',
    '{"access_token":"a","expires_in":-1}',
    '<Credentials><AccessKeyId>A</AccessKeyId>',
    '<Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken></Credentials>',
    '<Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey></SecretAccessKey><SessionToken>t</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration></Credentials>',
    '\u0000\ufffd\r\n',
  ])('that answers with %j', async (text) => {
    const malformed = says(text, { 'metadata-flavor': 'Google' })
    const whole = SOURCES[name]?.requests ?? 0
    // What it gives comes in the last answer.
    const { outcome, sent } = await meet(name, [...Array<Misbehaviour>(whole - 1).fill(asItShould), malformed])
    expect(outcome).toMatch(/: the answer (is not a JSON object|has no \w+|does not say when the credential expires)$/)
    expect(sent).toBe(whole)
  })
})

test('what nobody waits for any longer is not asked again', async () => {
  const waiting = new AbortController()
  setup.clouds.next(() => {
    waiting.abort()
    return new Promise(() => {})
  })
  const before = setup.clouds.requests.length
  const source = SOURCES['metadata of Google Cloud']?.source(setup.tools())
  expect(await failureOf(source?.read(waiting.signal) ?? Promise.reject())).toContain('was not waited for any longer')
  expect(setup.clouds.requests.length).toBe(before + 1)
})

describe('addresses', () => {
  const fetched = (url: string, options: object = {}) =>
    createCredentialFetch({ now: Date.now, ...options })('test', { url }, AbortSignal.timeout(2_000))
  const canary = () => setup.clouds.origin

  test('metadata services are those of this list', () => {
    expect(Object.values(METADATA)).toEqual([
      'http://169.254.169.254',
      'http://[fd00:ec2::254]',
      'http://169.254.170.2',
      'http://169.254.170.23',
      'http://[fd00:ec2::23]',
    ])
  })

  test.each([
    'http://169.254.169.253/',
    'http://169.254.169.254:8080/',
    'https://169.254.169.254/',
    'http://[::ffff:169.254.169.254]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://[fd00:ec2::253]/',
    'http://[fe80::1]/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://10.0.0.1/',
    'http://192.168.0.1/',
    'http://8.8.8.8/',
    'http://user:pw@127.0.0.1/',
    'http://example.com\\@169.254.169.254/',
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    '',
  ])('%s is not reached', async (url) => {
    expect(await failureOf(fetched(url))).toMatch(/is not allowed|does not lead to a host that credentials come from/)
  })

  test('a name is reached by https, or if it is this machine; never where it leads to a metadata service', async () => {
    const leads = (...addresses: string[]) => ({ resolve: async () => addresses })
    const port = new URL(canary()).port
    expect((await fetched(`http://here.example:${port}/x`, leads('127.0.0.1'))).status).toBe(404)
    expect(await failureOf(fetched(`http://here.example:${port}/x`, leads('10.0.0.1')))).toContain('is not allowed')
    for (const address of ['169.254.169.254', 'fd00:ec2::254', '::ffff:169.254.169.254', '169.254.170.2'])
      expect(await failureOf(fetched('https://sts.example/', leads('127.0.0.1', address)))).toContain(
        'does not lead to a host',
      )
    // A private endpoint of AWS is reached: its certificate says who it is. Nobody listens here.
    expect(await failureOf(fetched('https://sts.example:1/', leads('127.0.0.1')))).toContain('cannot be connected to')
  })

  test('the address of managed identities is one of a platform, which its variable alone names', async () => {
    const identityEndpoint = 'http://169.254.129.2:8081/msi/token'
    const options = { identityEndpoint, standIns: setup.clouds.standIns }
    expect((await fetched(`${identityEndpoint}?x`, options)).status).toBe(400)
    expect(await failureOf(fetched('http://169.254.129.3:8081/msi/token', options))).toContain(
      'does not lead to a host',
    )
  })

  test('proxies of the environment are not used', async () => {
    const before = process.env.HTTP_PROXY
    process.env.HTTP_PROXY = 'http://127.0.0.1:1'
    try {
      expect((await fetched(`${canary()}/x`)).status).toBe(404)
    } finally {
      if (before === undefined) delete process.env.HTTP_PROXY
      else process.env.HTTP_PROXY = before
    }
  })

  test('the query is not in errors', async () => {
    expect(await failureOf(fetched('http://127.0.0.1:1/path?secret'))).toBe(
      'test: http://127.0.0.1:1/path cannot be connected to',
    )
  })
})
