// Signatures of AWS, compared with those of another implementation.
import { expect, test } from 'bun:test'
import { sign as aws4Sign } from 'aws4'
import type { AboutToBeSent, AwsKeys } from './credential.ts'
import { createSigner } from './signer.ts'

const KEYS: AwsKeys = {
  accessKey: 'AKIDEXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'SESSION',
}
const NOW = Date.UTC(2026, 10, 18, 12)
const HOST = 'https://bedrock-runtime.us-east-1.amazonaws.com'

const SEED = Number(process.env.TRIVIUM_TEST_SEED ?? Math.floor(Math.random() * 1_000_000))

test('the signature that botocore makes', async () => {
  const body =
    '{"anthropic_version":"bedrock-2023-05-31","max_tokens":16,"messages":[{"role":"user","content":"Hello"}]}'
  const headers = await createSigner({ service: 'bedrock', region: 'us-east-1' })(
    {
      method: 'POST',
      url: `${HOST}/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke`,
      // What a proxy may change is not signed.
      headers: {
        'content-type': 'application/json',
        'user-agent': 'trivium/1',
        accept: '*/*',
        'accept-encoding': 'identity',
      },
      body: [Buffer.from(body.slice(0, 20)), Buffer.from(body.slice(20))],
    },
    KEYS,
    NOW,
  )
  expect(headers).toEqual({
    'x-amz-date': '20261118T120000Z',
    'x-amz-security-token': 'SESSION',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261118/us-east-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=feac8779b89887f8d72b4aef276fb0721b3013e3aa54ae57ba0b95eca4361ff5',
  })
})

/** Mulberry32. */
function randomOf(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

type Signed = { request: AboutToBeSent; body: Buffer; keys: AwsKeys; service: string; region: string; now: number }

function randomRequest(random: () => number): Signed {
  const integer = (most: number) => Math.floor(random() * most)
  const oneOf = <T>(list: readonly T[]): T => list[integer(list.length)] as T
  const text = (most: number) =>
    Array.from({ length: integer(most) }, () => oneOf([...'abzAZ09-._~:/@!$&\'()*+,;= "#%?[]{}|\\^`é漢🙂\t'])).join('')
  const ids = ['us.anthropic.claude-x-v1:0', 'arn:aws:bedrock:us-east-1:1:inference-profile/p', text(20)]
  const segment = () => oneOf([encodeURIComponent, (id: string) => id.replace(/[?#%\s\\[\]{}|^`"]/g, '')])(oneOf(ids))
  const path = Array.from({ length: 1 + integer(4) }, segment).join('/')
  const pair = () => `${encodeURIComponent(`n${text(6)}`)}=${encodeURIComponent(text(8))}`
  const query = oneOf(['', '', `?${pair()}`, `?${pair()}&${pair()}&a=2&a=1&a=`, '?flag', `?z=1&${pair()}&A=%2F`])
  const length = oneOf([0, 1, 100, 3_000])
  const body = Buffer.alloc(length, `${random()}`)
  const cut = integer(length + 1)
  const method = length > 0 ? 'POST' : oneOf(['GET', 'DELETE', 'POST'])
  const type = length > 0 || random() < 0.5 ? { 'content-type': oneOf(['application/json', ' a/b;  c="d  e" ']) } : {}
  const own = random() < 0.2 ? { 'x-amzn-bedrock-trace': 'ENABLED  now' } : {}
  return {
    request: {
      method,
      url: new URL(`${oneOf([HOST, 'http://localhost:8080'])}/${path}${query}`).href,
      headers: { accept: '*/*', ...type, 'user-agent': 'trivium', traceparent: text(5), ...own },
      body: oneOf([[body], [body.subarray(0, cut), body.subarray(cut)], [body, Buffer.alloc(0)]]),
    },
    body,
    keys: { ...KEYS, secretKey: text(40) || 'x', sessionToken: oneOf([undefined, `t${'o'.repeat(integer(900))}/+=`]) },
    service: oneOf(['bedrock', 'bedrock-mantle', 'sts']),
    region: oneOf(['us-east-1', 'eu-west-3']),
    now: NOW + integer(1e9),
  }
}

/** By the package aws4, which is told nothing but the request as it goes over the wire. */
function byAws4({ request, body, keys, service, region, now }: Signed): string | undefined {
  const { host, pathname, search } = new URL(request.url)
  const signed = Object.entries(request.headers).filter(([name]) => name === 'content-type' || name.startsWith('x-amz'))
  const headers: Record<string, string> = Object.fromEntries(signed)
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
  const asked = {
    host,
    path: pathname + search,
    method: request.method,
    service,
    region,
    // Other names would be signed, or added, as well.
    headers: { ...headers, 'X-Amz-Date': time, Host: host },
    body: body.length > 0 ? body : '',
    extraHeadersToIgnore: { 'content-length': true },
  }
  const { accessKey, secretKey, sessionToken } = keys
  const named = {
    accessKeyId: accessKey,
    secretAccessKey: secretKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  }
  const { Authorization } = aws4Sign(asked as Parameters<typeof aws4Sign>[0], named).headers as Record<string, string>
  return Authorization
}

const COUNT = 10_000

test(`${COUNT} random requests have the signatures of another implementation, seed ${SEED}`, async () => {
  const random = randomOf(SEED)
  for (let index = 0; index < COUNT; index++) {
    const signed = randomRequest(random)
    const { authorization } = await createSigner(signed)(signed.request, signed.keys, signed.now)
    if (authorization !== byAws4(signed))
      expect({ index, url: signed.request.url, headers: signed.request.headers, authorization }).toEqual({
        index,
        url: signed.request.url,
        headers: signed.request.headers,
        authorization: byAws4(signed),
      } as never)
  }
})

test('a large body, in pieces and as a stream, and one signer over days and keys', async () => {
  const body = Buffer.alloc(20 * 1024 * 1024, 'abc')
  const sign = createSigner({ service: 'bedrock', region: 'us-east-1' })
  const pieces = [body.subarray(0, 7), body.subarray(7, 1_000_000), body.subarray(1_000_000)]
  const request = { method: 'POST', url: `${HOST}/model/m/invoke`, headers: { 'content-type': 'application/json' } }
  for (const [now, keys] of [
    [NOW, KEYS],
    [NOW + 86_400_000, KEYS],
    [NOW + 86_400_000, { ...KEYS, secretKey: 'another', sessionToken: undefined }],
  ] as const) {
    const expected = byAws4({
      request: { ...request, body: [] },
      body,
      keys,
      service: 'bedrock',
      region: 'us-east-1',
      now,
    })
    expect((await sign({ ...request, body: pieces }, keys, now)).authorization).toBe(expected)
    const open = () => new Blob([body]).stream()
    expect((await sign({ ...request, body: { open } }, keys, now)).authorization).toBe(expected)
  }
})
