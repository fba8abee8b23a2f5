// HTTPS, and the headers of every response.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { eventually } from '../support/eventually.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { type Engine, type Home, newHome } from '../support/gateway/home.ts'

const FIXTURES = join(import.meta.dir, '../../packages/gateway/fixtures')
const FORMER = {
  cert: `${FIXTURES}/localhost.cert.pem`,
  key: `${FIXTURES}/localhost.key.pem`,
}
const RENEWED = {
  cert: `${FIXTURES}/test-host.cert.pem`,
  key: `${FIXTURES}/test-host.key.pem`,
}

/** Opens a connection and returns the certificate's serial number, or the error. */
function visit(url: string): Promise<string> {
  const { port, hostname } = new URL(url)
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect({ port: Number(port), host: hostname, rejectUnauthorized: false }, () => {
      serial = socket.getPeerCertificate().serialNumber
      socket.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    })
    let serial = ''
    socket.on('data', (bytes) => {
      answer += bytes
    })
    socket.on('error', (error) => resolve(`failed: ${error.message}`))
    socket.on('close', () => resolve(answer.startsWith('HTTP/1.1 200') ? serial : `failed: ${JSON.stringify(answer)}`))
  })
}

describe.each<{ engine: Engine; workers: number }>([
  { engine: 'sqlite', workers: 1 },
  { engine: 'postgres', workers: 2 },
])('with server.tls and $workers workers', ({ engine, workers }) => {
  let home: Home
  let gateway: Gateway
  const put = ({ cert, key }: Partial<typeof FORMER>) => {
    if (cert) copyFileSync(cert, join(home.dataDir, 'cert.pem'))
    if (key) copyFileSync(key, join(home.dataDir, 'key.pem'))
  }
  const complaints = () => gateway.output().stderr.split('the certificate on disk cannot be used').length - 1

  beforeAll(async () => {
    home = await newHome(engine, 'server: { tls: { cert: ./cert.pem, key: ./key.pem } }\n')
    put(FORMER)
    gateway = await startGateway({ home, env: { TRIVIUM_WORKERS: String(workers) } })
  })
  afterAll(() => gateway.stop())

  test('serves HTTPS with HSTS, and no plain HTTP', async () => {
    expect(gateway.url).toStartWith('https://')
    const answer = await fetch(`${gateway.url}/health`, { tls: { rejectUnauthorized: false } })
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')
    const plain = await fetch(gateway.url.replace('https:', 'http:')).then(
      ({ status }) => status,
      () => 'refused',
    )
    expect(plain).not.toBe(200)
  })

  async function renewedAfter(former: string): Promise<string> {
    for (;;) {
      const seen = await visit(gateway.url)
      if (seen !== former) return seen
    }
  }
  async function isSteady(certificate: string): Promise<boolean> {
    for (let count = 0; count < 20; count += 1) if ((await visit(gateway.url)) !== certificate) return false
    return true
  }

  test('a renewed certificate is used under load, and no connection fails', async () => {
    const former = await visit(gateway.url)
    let going = true
    const seen: string[] = []
    const visitors = [1, 2, 3, 4].map(async () => {
      while (going) seen.push(await visit(gateway.url))
    })
    const { secret } = await newKey(gateway)
    const streaming = fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sandbox-text',
        stream: true,
        messages: [{ role: 'user', content: 'say 200 words, pace 5 ms' }],
      }),
      tls: { rejectUnauthorized: false },
    }).then((answer) => answer.text())

    // For a moment the new certificate does not match the old key.
    put({ cert: RENEWED.cert })
    gateway.signal('SIGHUP')
    await eventually(() => complaints() === workers)
    gateway.signal('SIGHUP')
    expect(await visit(gateway.url)).toBe(former)
    put({ key: RENEWED.key })
    gateway.signal('SIGHUP')
    await eventually(async () => (await visit(gateway.url)) !== former)
    const renewed = await renewedAfter(former)
    // Workers switch together, but connections accepted by a former listener still get the former certificate.
    if (workers > 1) await eventually(() => isSteady(renewed))
    expect(await isSteady(renewed)).toBe(true)
    // And back.
    put(FORMER)
    gateway.signal('SIGHUP')
    await eventually(async () => (await visit(gateway.url)) === former)
    going = false
    await Promise.all(visitors)
    expect(new Set(seen)).toEqual(new Set([former, renewed]))
    expect((await streaming).trimEnd()).toEndWith('data: [DONE]')
    expect(complaints()).toBe(workers)
  })
})

describe('every response', () => {
  let gateway: Gateway
  let secret = ''
  beforeAll(async () => {
    gateway = await startGateway()
    secret = (await newKey(gateway)).secret
  })
  afterAll(() => gateway.stop())

  const key = () => ({ authorization: `Bearer ${secret}` })
  const json = { 'content-type': 'application/json' }
  type Asked = { name: string; path: string; status: number; init?: () => RequestInit; open?: boolean }
  const asked: Asked[] = [
    { name: 'the front page', path: '/', status: 200, open: true },
    { name: 'health', path: '/health', status: 200, open: true },
    { name: 'readiness', path: '/ready', status: 200, open: true },
    { name: 'models', path: '/v1/models', status: 200, init: () => ({ headers: key() }) },
    { name: 'models without a key', path: '/v1/models', status: 401 },
    { name: 'no such place', path: '/nowhere', status: 404 },
    { name: 'no such model', path: '/v1/models/none', status: 404, init: () => ({ headers: key() }) },
    { name: 'a wrong method', path: '/v1/models', status: 405, init: () => ({ method: 'DELETE', headers: key() }) },
    {
      name: 'a bad body',
      path: '/v1/chat/completions',
      status: 400,
      init: () => ({ method: 'POST', headers: { ...key(), ...json }, body: '{' }),
    },
  ]

  test.each(asked)('carries the security headers: $name', async ({ path, status, init, open }) => {
    const answer = await fetch(`${gateway.url}${path}`, init?.() ?? {})
    expect(answer.status).toBe(status)
    const { headers } = answer
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('x-request-id')).toMatch(/^\S+$/)
    expect(headers.get('request-id')).toBe(headers.get('x-request-id'))
    if (!open) expect(headers.get('cache-control')).toBe('private, no-store')
  })

  test('is not cached when it is a stream, either', async () => {
    const body = { model: 'sandbox-text', stream: true, messages: [{ role: 'user', content: 'Hello' }] }
    const answer = await chat(gateway.url, secret, body)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    await answer.text()
  })

  test('ignores forwarding headers of an untrusted client', async () => {
    const lies = {
      host: 'evil.example.com',
      'x-forwarded-host': 'evil.example.com',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '203.0.113.9',
      forwarded: 'host=evil.example.com;proto=https',
      'x-request-id': 'mine',
      ...key(),
    }
    for (const path of ['/', '/health', '/v1/models', '/nowhere', '/v1beta/models']) {
      const answer = await fetch(`${gateway.url}${path}`, { headers: lies })
      expect(answer.headers.get('strict-transport-security')).toBeNull()
      expect(answer.headers.get('x-request-id')).not.toBe('mine')
      const said = JSON.stringify([...answer.headers]) + (await answer.text())
      expect(said).not.toContain('evil.example.com')
      expect(said).not.toContain('203.0.113.9')
    }
  })
})

test('with public_url the first start prints it, and HSTS is sent behind a proxy', async () => {
  const gateway = await startGateway({
    config: 'server: { public_url: "https://gw.example.com/", trusted_proxies: [127.0.0.1/32] }\n',
  })
  const { stdout } = gateway.output()
  expect(stdout).toContain(`"address":"${gateway.url}"`)
  expect(stdout).toContain('"public":"https://gw.example.com"')
  expect((await fetch(`${gateway.url}/health`)).headers.get('strict-transport-security')).toBe('max-age=31536000')
  await gateway.stop()
})
