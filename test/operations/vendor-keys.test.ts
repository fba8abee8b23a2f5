// First start with only a vendor's key in the environment: what is printed, and the next steps.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'

const env = { OPENAI_API_KEY: 'hunter2-openai', GEMINI_API_KEY: 'hunter2-gemini', ANTHROPIC_API_KEY: '' }
const HELLO = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }

describe('a start with the keys of two vendors and no file', () => {
  let gateway: Gateway
  let stdout = ''
  /** What to do next, in lines. */
  let next = ''
  beforeAll(async () => {
    gateway = await startGateway({ env })
    ;({ stdout } = gateway.output())
    ;({ next } = JSON.parse(stdout.split('\n')[0] ?? '') as { next: string })
  })
  afterAll(() => gateway.stop())

  test('prints no key, since using one would cost money, but says how to create one', () => {
    expect(stdout).not.toMatch(/sk-|curl|hunter2/)
    expect(next.split('\n')).toEqual([
      expect.stringContaining('Open the console as the owner of this gateway'),
      expect.stringContaining('There is no API key yet'),
      expect.stringMatching(/ account create --email you@example\.com --credit 25$/),
      expect.stringMatching(/ key create --account you@example\.com --name laptop$/),
    ])
    expect(gateway.output().stderr).not.toMatch(/hunter2|not used/)
  })

  test('the two printed commands suffice: the key lists the models of both vendors and no embedded one', async () => {
    const commands = [...next.matchAll(/^npx trivium (.+)/gm)].map(([, words = '']) => words.split(' '))
    const [account = [], key = []] = commands
    await gateway.command(...account)
    const { secret } = await gateway.command<{ secret: string }>(...key)
    const answer = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } })
    const ids = ((await answer.json()) as { data: { id: string }[] }).data.map(({ id }) => id)
    expect(ids).toContain('gpt-4.1')
    expect(ids).toContain('gemini-3.5-flash')
    expect(ids.filter((id) => /sandbox|claude|seed/.test(id))).toEqual([])
    expect((await chat(gateway.url, secret, HELLO)).status).toBe(404)
  })

  test('upstream list and prices diff know them', async () => {
    const list = await gateway.command<{ id: string; kind: string; keys: number }[]>('upstream', 'list')
    expect(list.map(({ id, kind, keys }) => [id, kind, keys])).toEqual([
      ['openai', 'openai', 1],
      ['gemini', 'gemini', 1],
    ])
    const diff = await gateway.command<{ models: { vendor: string; differences: unknown[] }[] }>('prices', 'diff')
    expect(new Set(diff.models.map(({ vendor }) => vendor))).toEqual(new Set(['openai', 'gemini']))
    expect(diff.models.flatMap(({ differences }) => differences)).toEqual([])
  })

  test('a second start does not ask for a key, since there is one', async () => {
    await gateway.kill()
    gateway = await startGateway({ home: gateway.home, env })
    expect(gateway.output().stdout).not.toMatch(/account create|sk-/)
  })
})

test('with sandbox: true the first start still prints a key, for embedded models only', async () => {
  const gateway = await startGateway({ env, config: 'sandbox: true' })
  expect((await chat(gateway.url, gateway.firstKey ?? '', HELLO)).status).toBe(200)
  const real = await chat(gateway.url, gateway.firstKey ?? '', { ...HELLO, model: 'gpt-4.1' })
  expect(real.status).toBe(403)
  await gateway.stop()
})

describe('upstream test beside a running server', () => {
  let gateway: Gateway
  beforeAll(async () => {
    const upstreams = '[{ id: gone, kind: vllm, base_url: "http://127.0.0.1:1/v1" }]'
    gateway = await startGateway({ config: `sandbox: true\nupstreams: ${upstreams}` })
  })
  afterAll(() => gateway.stop())

  test('exits 0 with JSON on success', async () => {
    const { code, stdout, stderr } = await gateway.cli('upstream', 'test', 'sandbox', '--json')
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, upstream: 'sandbox', kind: 'sandbox', model: 'sandbox-text' })
  })

  test('exits 1 on a failure, naming it', async () => {
    const { code, stdout, stderr } = await gateway.cli('upstream', 'test', 'gone', '--model', 'llama')
    expect([code, stderr]).toEqual([1, 'the check failed: see the list above\n'])
    expect(stdout).toMatch(/gone \(vllm\) at http:\/\/127\.0\.0\.1:1\/v1: model llama\n/)
    expect(stdout.match(/failed .*connection refused/g)).toHaveLength(3)
  })

  test('adds nothing to the ledger', async () => {
    expect(await gateway.command<unknown[]>('usage', '--account', 'newcomer@trivium.local')).toEqual([])
  })
})
