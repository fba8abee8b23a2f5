// Requests to clouds over real sockets: servers that check signatures and tokens as their vendors do, and clocks of the test.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { Cancel } from '@trivium/http/cancel.ts'
import { readAtMost } from '@trivium/http/client/read-response.ts'
import { isSlow } from '../../../test-support/clouds/clouds.ts'
import { signerOf } from '../../../test-support/clouds/signature.ts'
import { useClouds } from '../../../test-support/clouds/use-clouds.ts'
import type { Upstream } from '../../config/types.ts'
import { upstreamDefaults } from '../../config/upstream-defaults.ts'
import { KINDS } from '../kinds/index.ts'
import { createSend } from '../send.ts'
import { withoutKeys } from '../without-keys.ts'
import { CredentialUnavailable } from './credential.ts'
import { createCredentials } from './index.ts'

const world = useClouds()
const SECOND = 1_000

type Answer = (request: Request) => Response | undefined
let answers: Answer[] = []
let seen: { url: string; headers: Record<string, string>; status: number }[] = []
let server: ReturnType<typeof Bun.serve>

/** Like a vendor: who is not authorised now gets its error, all others a stream. */
async function serveModel(request: Request): Promise<Response> {
  const body = await request.text()
  const answer = answers.shift()?.(request) ?? authorised(request, body)
  answer.headers.set('date', new Date(world.clock.now).toUTCString())
  seen.push({ url: request.url, headers: Object.fromEntries(request.headers), status: answer.status })
  return answer
}

function authorised(request: Request, body: string): Response {
  const headers: Record<string, string> = Object.fromEntries(request.headers)
  const { aws, google, entra } = world.clouds
  if (headers.authorization?.startsWith('AWS4')) {
    const by = signerOf(
      { method: request.method, url: request.url, headers, body },
      { service: 'bedrock', now: world.clock.now, keys: aws.keys },
    )
    if (!Array.isArray(by)) return pieces(body)
    return Response.json(
      { message: by[1] },
      { status: 403, headers: { 'x-amzn-errortype': `${by[0]}Exception:http://x` } },
    )
  }
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? ''
  const known = google.tokens.get(token) ?? entra.tokens.get(token)
  return known && known.expiresAt > world.clock.now
    ? pieces(body)
    : Response.json({ error: 'UNAUTHENTICATED' }, { status: 401 })
}

const pieces = (body: string): Response => {
  async function* parts() {
    yield `echo `
    await Bun.sleep(1)
    yield body
  }
  return new Response(parts() as unknown as ReadableStream, { headers: { 'content-type': 'text/event-stream' } })
}

beforeAll(() => {
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 0, fetch: serveModel })
})
afterAll(() => server.stop(true))
beforeEach(() => {
  answers = []
  seen = []
  world.clouds.requests.length = 0
  world.own.now = world.clock.now
})

const AWS: Upstream['auth'] = { type: 'aws', region: 'us-east-1' }
const GOOGLE: Upstream['auth'] = { type: 'google' }

const upstreamOf = (auth: Upstream['auth'], id = 'cloud'): Upstream => ({
  ...upstreamDefaults(id),
  // Tokens of Entra have a scope by the kind.
  kind: auth?.type === 'entra' ? 'azure' : 'bedrock',
  dialect: 'chat',
  baseUrl: `http://127.0.0.1:${server.port}/v1`,
  endpoints: KINDS.get('bedrock')?.endpoints ?? [],
  keys: [auth?.type ?? 'k'],
  ...(auth ? { auth } : {}),
})

function setup(variables: Parameters<typeof world.tools>[0] = {}) {
  const logged: string[] = []
  const log = {
    warn: (message: string, fields?: object) => void logged.push(`${message} ${JSON.stringify(fields)}`),
    info: (message: string) => void logged.push(message),
  }
  const after = (ms: number, run: () => void) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  }
  const credentials = createCredentials({ now: () => world.own.now, after, tools: world.tools(variables), log })
  const sendBy = createSend(() => Promise.reject(new Error('not embedded')), { credentials })
  const send = (upstream: Upstream, body = '{"a":"é漢"}', path = '/chat/completions', method?: 'GET') =>
    sendBy(upstream, {
      path,
      dialect: 'chat',
      body: [Buffer.from(body.slice(0, 3)), Buffer.from(body.slice(3))],
      stream: true,
      headers: {},
      key: upstream.keys[0] ?? '',
      cancel: new Cancel(),
      ...(method ? { method } : {}),
    })
  const textOf = async (reply: Awaited<ReturnType<typeof send>>) =>
    `${reply.status} ${new TextDecoder().decode(await readAtMost(reply, 1_000_000))}`
  return { credentials, send, textOf, logged }
}

const KEYS = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLEEXAMPLE1',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}
const isRead = ({ path }: { path: string }) => /security-credentials\/.|(?<!api)\/token$/.test(path)
const reads = () => world.clouds.requests.filter(isRead).length

describe('a request', () => {
  test('is signed as it goes over the wire, its path and query included', async () => {
    const { send, textOf } = setup(KEYS)
    const upstream = upstreamOf(AWS)
    expect(await textOf(await send(upstream))).toBe('200 echo {"a":"é漢"}')
    for (const path of ['/model/us.a%3A0/invoke', '/model/é 漢/x', '/models?b=2&a=%2F&a=+1', '/a:b@c/(d)'])
      expect(await textOf(await send(upstream, '', path, 'GET'))).toBe('200 echo ')
    // The label of the credential is never sent.
    expect(JSON.stringify(seen)).not.toContain('Bearer')
  })

  test('gets a token, and no key', async () => {
    const { send, textOf } = setup()
    expect(await textOf(await send(upstreamOf(GOOGLE)))).toBe('200 echo {"a":"é漢"}')
    expect(seen[0]?.headers.authorization).toStartWith('Bearer ya29.')
    const entra: Upstream['auth'] = {
      type: 'entra',
      tenant: 'contoso.onmicrosoft.com',
      clientId: world.clouds.entra.state.clientId,
      clientSecret: world.clouds.entra.state.secret,
    }
    expect(await textOf(await send(upstreamOf(entra)))).toStartWith('200')
  })

  test('of upstreams with the same auth use one credential, also after a reload; another auth has its own', async () => {
    const { send, textOf, credentials } = setup()
    for (const id of ['one', 'two', 'one']) await textOf(await send(upstreamOf(GOOGLE, id)))
    expect(reads()).toBe(1)
    await credentials.keepFor([upstreamOf(GOOGLE, 'reloaded')])
    expect(reads()).toBe(1)
    await textOf(await send(upstreamOf({ type: 'google', project: 'other' })))
    expect(reads()).toBe(2)
    // What no upstream has any more is forgotten.
    await credentials.keepFor([])
    await textOf(await send(upstreamOf(GOOGLE, 'back')))
    expect(reads()).toBe(3)
  })
})

describe('a rejected request', () => {
  const says =
    (status: number, message: string, type?: string): Answer =>
    () =>
      Response.json({ message }, { status, headers: type ? { 'x-amzn-errortype': type } : {} })

  test.each<[string, Upstream['auth'], Answer]>([
    ['401', GOOGLE, says(401, 'x')],
    ['ExpiredTokenException', AWS, says(403, 'x', 'ExpiredTokenException:http://internal.amazon.com/')],
    ['ExpiredToken in the body', AWS, says(403, 'The security token included in the request is expired')],
    ['InvalidSignatureException', AWS, says(403, 'x', 'InvalidSignatureException')],
    ['Signature expired', AWS, says(403, 'Signature expired: 20270115T115000Z is now earlier than 20270115T115500Z')],
  ])('%s is sent once more with a new credential', async (_, auth, answer) => {
    const { send, textOf } = setup()
    answers = [answer]
    expect(await textOf(await send(upstreamOf(auth)))).toBe('200 echo {"a":"é漢"}')
    expect([seen.length, reads()]).toEqual([2, 2])
    expect(seen[0]?.headers.authorization).not.toBe(seen[1]?.headers.authorization)
  })

  test('is not sent a third time', async () => {
    const { send, textOf } = setup()
    answers = [says(401, 'first'), says(401, 'second'), says(401, 'third')]
    expect(await textOf(await send(upstreamOf(GOOGLE)))).toBe('401 {"message":"second"}')
  })

  test('for a lack of rights is passed on whole, without a renewal', async () => {
    const { send, textOf } = setup()
    const message = `User is not authorized ${'x'.repeat(200_000)}`
    answers = [says(403, message, 'AccessDeniedException')]
    expect(await textOf(await send(upstreamOf(AWS)))).toBe(`403 ${JSON.stringify({ message })}`)
    expect([seen.length, reads()]).toEqual([1, 1])
  })

  test('with keys that do not change is passed on', async () => {
    const { send, textOf } = setup({ ...KEYS, AWS_SECRET_ACCESS_KEY: 'wrong' })
    const reply = await textOf(await send(upstreamOf(AWS)))
    expect([reply.slice(0, 3), seen.length]).toEqual(['403', 1])
  })
})

test('without a credential nothing is sent: the error names the source and what to change, once in the log', async () => {
  const { send, logged, credentials } = setup({ AWS_PROFILE: 'missing' })
  const upstream = upstreamOf(AWS)
  for (let requests = 0; requests < 5; requests++) {
    const error = await send(upstream).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(CredentialUnavailable)
    expect((error as Error).message).toStartWith('profile missing: not in the shared files of AWS')
  }
  expect([seen.length, logged.length]).toEqual([0, 1])
  expect(logged[0]).toStartWith('upstream credential cannot be renewed {"upstream":"cloud","error":"profile missing: ')
  expect(credentials.of(upstream).state().problem).toStartWith('profile missing')
})

test('a clock that is wrong by more than two minutes is named, once', async () => {
  const { send, textOf, logged, credentials } = setup(KEYS)
  const upstream = upstreamOf(AWS)
  for (const [aheadMs, shown] of [
    [-119, undefined],
    [-250, -250],
    [-250, -250],
    [0, undefined],
    [130, 130],
  ] as const) {
    world.clock.now += 61 * SECOND
    world.own.now = world.clock.now + aheadMs * SECOND
    await textOf(await send(upstream))
    const skewMs = credentials.of(upstream).state().skewMs
    expect(skewMs === undefined ? undefined : Math.round(skewMs / SECOND)).toBe(shown)
  }
  expect(logged.map((line) => line.split(' {')[0])).toEqual(Array(2).fill('clock differs from that of the upstream'))
})

test('what an upstream repeats of a credential is masked', async () => {
  const { send, textOf } = setup()
  const upstream = upstreamOf(AWS)
  await textOf(await send(upstream))
  const { 'x-amz-security-token': session = '' } = seen[0]?.headers ?? {}
  const [, known] = [...world.clouds.aws.keys].find(([, { sessionToken }]) => sessionToken === session) ?? []
  expect(known?.secretKey).toBeDefined()
  const said = `x-amz-security-token:${session} and ${known?.secretKey}`
  expect(withoutKeys(upstream, said)).toBe('x-amz-security-token:[key] and [key]')
  // Also where a check has made an upstream of its own.
  expect(withoutKeys({ ...upstream, keys: ['aws'] }, said)).toBe('x-amz-security-token:[key] and [key]')
})

describe.each([['signed', AWS] as const, ['with a token', GOOGLE] as const])('200 streams at a time, %s', (_, auth) => {
  test('for two minutes, with credentials that live 20 s: none fails, and one is read at a time', async () => {
    const { clouds, clock, own } = world
    const before = [clouds.aws.state.life, clouds.google.state.life] as const
    clouds.aws.state.life = clouds.google.state.life = 20
    clouds.next(...Array(60).fill(isSlow))
    const { send, textOf } = setup()
    const upstream = upstreamOf(auth)
    const end = clock.now + 120 * SECOND
    const statuses = new Map<string, number>()
    let streams = 0
    const stream = async () => {
      while (clock.now < end) {
        const text = await textOf(await send(upstream))
        statuses.set(text, (statuses.get(text) ?? 0) + 1)
        // The clock follows the streams, however fast this machine is.
        if (++streams % 40 !== 0) continue
        clock.now += SECOND
        own.now = clock.now
      }
    }
    await Promise.all(Array.from({ length: 200 }, stream))
    expect([...statuses.keys()]).toEqual(['200 echo {"a":"é漢"}'])
    // 120 s by 16 s; while one is read, the clock goes on.
    expect(reads()).toBeGreaterThan(2)
    expect(reads()).toBeLessThanOrEqual(9)
    expect(clouds.mostAtOnce(isRead)).toBe(1)
    ;[clouds.aws.state.life, clouds.google.state.life] = before
  })
})
