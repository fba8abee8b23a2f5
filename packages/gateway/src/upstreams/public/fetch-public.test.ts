// Which addresses the guard lets through: every spelling that ever led inward elsewhere.
import { afterAll, describe, expect, test } from 'bun:test'
import { fetchPublic } from './fetch-public.ts'
import { type GuardOptions, guardPublic } from './guard-public.ts'
import { PublicFetchError } from './public-fetch-error.ts'

// Listens where the loopback spellings below would lead.
let arrived = 0
const canary = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => {
    arrived++
    return new Response('inside')
  },
})
afterAll(() => canary.stop(true))

const LIMITS = { maxBytes: 1000, timeoutMs: 5000 }
const neverAsked = () => Promise.reject(new Error('the resolver was asked'))
const answering = (...addresses: string[]) => ({ resolve: async () => addresses })

async function rejection(url: string, options: GuardOptions): Promise<{ reason: string; message: string }> {
  try {
    await fetchPublic(url, { ...LIMITS, ...options })
  } catch (error) {
    if (error instanceof PublicFetchError) return error
    throw error
  }
  throw new Error(`${url} was fetched`)
}

describe('addresses that are not public', () => {
  test.each([
    // This machine
    'http://127.0.0.1:PORT/',
    'http://127.0.0.1.:PORT/',
    'http://127.255.255.254:PORT/',
    'http://0.0.0.0:PORT/',
    'http://0.1.2.3/',
    'http://[::]:PORT/',
    'http://[::1]:PORT/',
    'http://[0:0:0:0:0:0:0:1]:PORT/',
    'http://[0000::0001]:PORT/',
    // IPv4 inside IPv6: mapped, compatible, translated, tunnelled
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://[::FFFF:7F00:0001]:PORT/',
    'http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/',
    'http://[::ffff:0:0]:PORT/',
    'http://[::ffff:10.0.0.1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::127.0.0.1]/',
    'http://[::7f00:1]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[64:ff9b::8.8.8.8]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[64:ff9b:1::808:808]/',
    'http://[2002:7f00:1::]/',
    'http://[2002:a00:1::1]/',
    'http://[2002:808:808::1]/',
    'http://[2001::1]/',
    'http://[2001:0:53aa:64c:0:ffff:80ff:fffe]/',
    // Private networks
    'http://10.0.0.1/',
    'http://10.255.255.255/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.0.1/',
    'http://100.64.0.1/',
    'http://100.127.255.255/',
    'http://[fc00::1]/',
    'http://[fd12:3456:789a::1]/',
    'http://[fe80::1]/',
    'http://[febf::1]/',
    'http://[fec0::1]/',
    // Metadata services
    'http://169.254.169.254/latest/meta-data/',
    'http://169.254.0.1/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://192.0.0.192/',
    'http://[fd00:ec2::254]/',
    'http://[fd20:ce::254]/',
    // Set aside
    'http://192.0.0.1/',
    'http://192.0.2.1/',
    'http://192.88.99.1/',
    'http://198.18.0.1/',
    'http://198.19.255.255/',
    'http://198.51.100.7/',
    'http://203.0.113.7/',
    'http://224.0.0.1/',
    'http://239.255.255.255/',
    'http://240.0.0.1/',
    'http://255.255.255.255/',
    'http://[ff02::1]/',
    'http://[2001:db8::1]/',
    'http://[3fff::1]/',
    'http://[100::1]/',
    'http://[4000::1]/',
    'http://[5f00::1]/',
    // Names that mean this machine, whatever a resolver says
    'http://localhost:PORT/',
    'http://LOCALHOST:PORT/',
    'http://localhost.:PORT/',
    'http://api.localhost:PORT/',
    'http://ⓛocalhost:PORT/',
    'https://127.0.0.1:PORT/',
  ])('%s', async (url) => {
    const { reason } = await rejection(url.replace('PORT', String(canary.port)), { resolve: neverAsked })
    expect(reason).toBe('not_public')
  })
})

describe('addresses that are not plain URLs', () => {
  test.each([
    // IPv4 in unusual notations, public or not: only attacks use them
    'http://2130706433:PORT/',
    'http://134744072/',
    'http://0x7f000001:PORT/',
    'http://0x7f.1:PORT/',
    'http://0X7F.0.0.1:PORT/',
    'http://0177.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://127.0.1:PORT/',
    'http://127.0.0.01:PORT/',
    'http://0:PORT/',
    'http://127.0.0.1..:PORT/',
    'http://127。0。0。1:PORT/',
    'http://127．0．0．1:PORT/',
    'http://①②⑦.0.0.1:PORT/',
    'http://127.0.0.1%2e:PORT/',
    'http://256.1.1.1/',
    'http://1.2.3.4.5/',
    // Hosts that two parsers could read in two ways
    'http://%31%32%37.0.0.1:PORT/',
    'http://ex%61mple.com/',
    'http://example.com%00.localhost/',
    'http://[fe80::1%25eth0]/',
    'http://[fe80::1%eth0]/',
    'http://[::1/',
    'http://::1/',
    'http://[127.0.0.1]/',
    'http://example.com\\@127.0.0.1:PORT/',
    'http:\\\\127.0.0.1:PORT\\',
    'http://exa\tmple.com/',
    'http://example.com\n/',
    'http://example.com/\r\nx: y',
    ' http://example.com/',
    'http://example.com /',
    // Userinfo
    'http://user:secret@example.com/',
    'http://user@example.com/',
    'http://@example.com/',
    'http://example.com@127.0.0.1:PORT/',
    'http://example.com:80@127.0.0.1:PORT/',
    // No host, or not a name
    '',
    'example.com',
    '//example.com/',
    'http://',
    'http:///127.0.0.1:PORT/',
    'http:example.com',
    'http:/example.com',
    'http://:80/',
    'http://./',
    'http://.example.com/',
    'http://a..example.com/',
    'http://example.com../',
    'http://*.example.com/',
    'http://-a.example.com/',
    'http://exa!mple.com/',
    `http://${'a'.repeat(64)}.com/`,
    `http://${'a.'.repeat(130)}com/`,
    `http://example.com/${'a'.repeat(9000)}`,
    // Ports
    'http://example.com:0/',
    'http://example.com:65536/',
    'http://example.com:-1/',
    'http://example.com:80x/',
    // Schemes
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:image/png;base64,AAAA',
    'gopher://example.com/',
    'ws://example.com/',
    'unix:///run/docker.sock',
    'javascript:alert(1)',
    'blob:http://example.com/x',
    's3://bucket/key',
  ])('%j', async (url) => {
    const { reason } = await rejection(url.replace('PORT', String(canary.port)), { resolve: neverAsked })
    expect(reason).toBe('bad_url')
  })
})

describe('names by the addresses they resolve to', () => {
  test.each<[string, string[], string]>([
    ['loopback', ['127.0.0.1'], 'not_public'],
    ['IPv6 loopback', ['::1'], 'not_public'],
    ['mapped loopback', ['::ffff:127.0.0.1'], 'not_public'],
    ['unspecified', ['0.0.0.0'], 'not_public'],
    ['metadata', ['169.254.169.254'], 'not_public'],
    ['link-local with a zone', ['fe80::1%eth0'], 'not_public'],
    ['translated loopback', ['64:ff9b::7f00:1'], 'not_public'],
    ['public and private', ['8.8.8.8', '10.0.0.1'], 'not_public'],
    ['private and public', ['10.0.0.1', '8.8.8.8'], 'not_public'],
    ['public IPv4, private IPv6', ['8.8.8.8', 'fd00::1'], 'not_public'],
    ['not even an address', ['localhost'], 'not_public'],
    ['nothing', [], 'unresolved'],
  ])('%s is rejected', async (_, answers, reason) => {
    expect((await rejection('http://inward.example/', answering(...answers))).reason).toBe(reason)
  })

  test('a private name and an unknown one have the same error, and nothing internal is disclosed', async () => {
    const inward = await rejection('http://db.corp.example:5432/', answering('10.1.2.3'))
    const unknown = await rejection('http://no.corp.example:5432/', { resolve: neverAsked })
    expect(unknown.reason).toBe('unresolved')
    expect(inward.message).toBe(unknown.message)
    expect(inward.message).not.toMatch(/10\.1|corp|5432/)
  })
})

describe('addresses that are allowed', () => {
  test.each<[string, { host: string; port: number }]>([
    ['http://8.8.8.8/', { host: '8.8.8.8', port: 80 }],
    ['https://1.1.1.1:8443/a?b=c', { host: '1.1.1.1', port: 8443 }],
    ['http://8.8.8.8./', { host: '8.8.8.8', port: 80 }],
    ['http://11.0.0.1/', { host: '11.0.0.1', port: 80 }],
    ['http://172.15.255.255/', { host: '172.15.255.255', port: 80 }],
    ['http://172.32.0.1/', { host: '172.32.0.1', port: 80 }],
    ['http://100.63.255.255/', { host: '100.63.255.255', port: 80 }],
    ['http://198.20.0.1/', { host: '198.20.0.1', port: 80 }],
    ['http://223.255.255.255/', { host: '223.255.255.255', port: 80 }],
    ['https://[2606:4700:4700::1111]/', { host: '2606:4700:4700::1111', port: 443 }],
    ['https://[2606:4700:4700:0:0:0:0:1111]:444/', { host: '2606:4700:4700::1111', port: 444 }],
    ['http://[::ffff:8.8.8.8]/', { host: '8.8.8.8', port: 80 }],
  ])('%s', async (url, expected) => {
    const { host, port, addresses } = await guardPublic(url, { resolve: neverAsked })
    expect({ host, port }).toEqual(expected)
    expect(addresses).toHaveLength(1)
  })

  test.each<[string, string, string[]]>([
    ['https://example.com/cat.png', 'example.com', ['93.184.215.14']],
    ['HTTPS://EXAMPLE.COM/', 'example.com', ['93.184.215.14']],
    ['https://example.com./', 'example.com', ['93.184.215.14']],
    ['https://my_bucket.s3.example.com/', 'my_bucket.s3.example.com', ['93.184.215.14', '2606:4700:4700::1111']],
    ['https://bücher.example/', 'xn--bcher-kva.example', ['8.8.4.4']],
    ['https://notlocalhost.example/', 'notlocalhost.example', ['8.8.4.4']],
    ['https://localhost.example/a@b%20c', 'localhost.example', ['8.8.4.4']],
    ['https://behind-nat64.example/', 'behind-nat64.example', ['8.8.8.8', '64:ff9b::808:808']],
  ])('%s', async (url, host, answers) => {
    const asked: string[] = []
    const resolve = async (name: string) => {
      asked.push(name)
      return answers
    }
    const target = await guardPublic(url, { resolve })
    expect(target.host).toBe(host)
    expect(target.addresses).toHaveLength(answers.length)
    expect(asked).toEqual([host])
  })
})

describe('hosts that the operator allows', () => {
  const allowHost = (host: string, port: number) => host === 'local.example' && port === 8000

  test('an upstream’s own host may be private, and only it', async () => {
    const inward = answering('10.0.0.5')
    expect((await guardPublic('http://LOCAL.example.:8000/', { allowHost, ...inward })).host).toBe('local.example')
    for (const url of ['http://other.example:8000/', 'http://local.example:22/', 'http://10.0.0.5:8000/'])
      expect((await rejection(url, { allowHost, ...inward })).reason).toBe('not_public')
  })

  test.each([
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://192.168.1.2:81/',
    'http://[fd00::2]/',
    'http://100.64.1.1/',
  ])('allow_private lets %s through', async (url) => {
    expect((await guardPublic(url, { allowPrivate: true })).addresses).toHaveLength(1)
  })

  test.each([
    'http://169.254.169.254/',
    'http://100.100.100.200/',
    'http://[fd00:ec2::254]/',
    'http://0.0.0.0/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[fe80::1]/',
    'http://[2002:a00:1::1]/',
  ])('allow_private still rejects %s', async (url) => {
    expect((await rejection(url, { allowPrivate: true, allowHost: () => true })).reason).toBe('not_public')
  })
})

test('the default resolver is the system’s', async () => {
  const { addresses } = await guardPublic('http://localhost/', { allowPrivate: true })
  expect(addresses.length).toBeGreaterThan(0)
})

test('nothing above reached a service on this machine, although one was running', async () => {
  expect(arrived).toBe(0)
  const url = `http://127.0.0.1:${canary.port}/`
  const { bytes } = await fetchPublic(url, { ...LIMITS, allowPrivate: true })
  expect(new TextDecoder().decode(bytes)).toBe('inside')
})
