// The configuration is edited while the server runs: a valid edit takes effect at once, an invalid one changes nothing.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newDataFolder } from '../support/data-folder.ts'
import { eventually } from '../support/eventually.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'

const MESSAGES = [{ role: 'user', content: 'Hello' }]

type Edit = { price?: number; models?: string[]; group?: string; drain?: string }

/** Prices in USD per million output tokens; input is free, so that the cost identifies the price. */
const configuration = ({ price = 4, models = [], group = '"*"', drain = '30s' }: Edit = {}) => `
server: { drain: ${drain} }
models:
${['steady', ...models].map((id) => `  - { id: ${id}, routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 0, output: ${price} } }`).join('\n')}
groups:
  - { id: default, models: ["*"] }
  - { id: team, models: [${group}] }
`

describe('under load', () => {
  let gateway: Gateway
  let secret = ''
  let email = ''
  let going = true
  const statuses: number[] = []
  let traffic: Promise<unknown>

  const write = (text: string) => writeFileSync(gateway.home.configFile, text)
  const statusOf = async (model: string, key = secret) => {
    const answer = await chat(gateway.url, key, { model, messages: MESSAGES })
    await answer.text()
    return answer.status
  }
  const reloads = () => gateway.output().stderr.split('"configuration reloaded"').length - 1
  async function edit(change: () => void): Promise<void> {
    const before = reloads()
    change()
    await eventually(() => reloads() > before)
  }
  type Row = { request_id: string; cost_usd: string; receipt: { usage?: { output?: number } } }
  const costOf = async (requestId: string | null): Promise<number> => {
    const rows = await gateway.command<Row[]>('usage', '--account', email, '--limit', '0')
    return Number(rows.find(({ request_id }) => request_id === requestId)?.cost_usd)
  }

  beforeAll(async () => {
    gateway = await startGateway({ config: configuration() })
    const made = await newKey(gateway, '100')
    secret = made.secret
    email = made.email
    const other = await newKey(gateway, '10000')
    traffic = Promise.all(
      [1, 2].map(async () => {
        while (going) {
          statuses.push(await statusOf('steady', other.secret))
          await Bun.sleep(5)
        }
      }),
    )
  })
  afterAll(async () => {
    going = false
    await traffic
    await gateway.stop()
  })

  test('a new model is available after the edit', async () => {
    expect(await statusOf('brand-new')).toBe(404)
    await edit(() => write(configuration({ models: ['brand-new'] })))
    expect(await statusOf('brand-new')).toBe(200)
    expect(gateway.output().stderr).toContain('models[brand-new] added')
  })

  test('a removed model is not found, also when an editor replaces the file', async () => {
    await edit(() => {
      writeFileSync(`${gateway.home.configFile}.new`, configuration())
      renameSync(`${gateway.home.configFile}.new`, gateway.home.configFile)
    })
    expect(await statusOf('brand-new')).toBe(404)
  })

  test('a new price applies to the next request, and a running stream keeps its own', async () => {
    const talk = (words: number, pace: number) => ({
      model: 'steady',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: `say ${words} words, pace ${pace} ms` }],
    })
    const tokensOf = (text: string) => Number(/"completion_tokens":(\d+)/.exec(text)?.[1])
    const running = await chat(gateway.url, secret, talk(60, 20))
    await edit(() => write(configuration({ price: 400 })))
    const next = await chat(gateway.url, secret, talk(10, 0))
    const tokens = { running: tokensOf(await running.text()), next: tokensOf(await next.text()) }
    expect(await costOf(running.headers.get('x-request-id'))).toBeCloseTo((tokens.running * 4) / 1e6, 9)
    expect(await costOf(next.headers.get('x-request-id'))).toBeCloseTo((tokens.next * 400) / 1e6, 9)
  })

  test('the models of a group change with the file', async () => {
    const team = await newKey(gateway, undefined, { group: 'team' })
    expect(await statusOf('steady', team.secret)).toBe(200)
    await edit(() => write(configuration({ group: 'sandbox-text' })))
    expect(await statusOf('steady', team.secret)).toBe(403)
    expect(await statusOf('sandbox-text', team.secret)).toBe(200)
  })

  test.each([
    { what: 'an unknown field', text: 'modles: []\n', says: 'modles' },
    { what: 'no YAML', text: 'models: [\n', says: '"line":' },
    { what: 'an empty file', text: '', says: 'is empty' },
    {
      what: 'an unset variable',
      text: `upstreams: [{ id: a, dialect: chat, base_url: "http://x/v1", keys: ["\${NOT_SET_ANYWHERE}"] }]\n`,
      says: 'NOT_SET_ANYWHERE',
    },
  ])('$what leaves the running configuration in force and says why', async ({ text, says }) => {
    const complaints = () =>
      gateway
        .output()
        .stderr.split('\n')
        .filter((line) => line.includes('"configuration not reloaded"'))
    const before = complaints().length
    write(text)
    await eventually(() => complaints().length > before)
    expect(complaints().slice(before).join('\n')).toContain(says)
    expect(complaints().at(-1)).toContain(gateway.home.configFile)
    expect(await statusOf('steady')).toBe(200)
  })

  test('SIGHUP reads it again, changed or not', async () => {
    await edit(() => write(configuration({ models: ['once-more'] })))
    await edit(() => gateway.signal('SIGHUP'))
    expect(await statusOf('once-more')).toBe(200)
  })

  test('no request was rejected meanwhile', async () => {
    going = false
    await traffic
    expect(statuses.length).toBeGreaterThan(10)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
  })
})

test('a server that has no configuration file survives SIGHUP, and reads trivium.yaml as soon as it exists', async () => {
  const cwd = newDataFolder('trivium-cwd-')
  const gateway = await startGateway({ env: { TRIVIUM_CONFIG: '' }, cwd })
  gateway.signal('SIGHUP')
  await eventually(() => gateway.output().stderr.includes('no configuration file'))
  expect((await fetch(`${gateway.url}/ready`)).status).toBe(200)
  writeFileSync(join(cwd, 'trivium.yaml'), configuration({ models: ['new'] }))
  await eventually(() => gateway.output().stderr.includes('configuration reloaded'))
  const { secret } = await newKey(gateway)
  const answer = await chat(gateway.url, secret, { model: 'new', messages: MESSAGES })
  expect([answer.status, await answer.json()]).toMatchObject([200, { model: 'new' }])
  const upstream = '{ id: own, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [none], allow_private: true }'
  writeFileSync(join(cwd, 'trivium.yaml'), `upstreams: [${upstream}]\n`)
  await eventually(() => gateway.output().stderr.split('configuration reloaded').length === 3)
  rmSync(join(cwd, 'trivium.yaml'))
  await eventually(() => gateway.output().stderr.includes('cannot be read'))
  const { checks } = JSON.parse((await gateway.cli('doctor', '--json')).stdout)
  const noteOf = (name: string) => checks.find(({ check }: { check: string }) => check === name)?.note
  expect(noteOf('server')).toContain('the former one stays in force: ')
  expect(noteOf('server')).toContain(join(cwd, 'trivium.yaml'))
  expect(noteOf('upstream own')).toBe('of its configuration file, and in use by the server')
  await gateway.stop()
  rmSync(cwd, { recursive: true })
})
