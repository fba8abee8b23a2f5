// How a server starts: what an operator sees, in a process of its own.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chat, ENGINES, type Gateway, newHome, startGateway, type UsageEntry } from './support/gateway.ts'

/** The words that a shell makes of a command line: what `curl` would be given. */
function wordsOfCurl(text: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${text.slice(text.indexOf('curl '))}`
  return Bun.spawnSync(['sh', '-c', script]).stdout.toString().split('\0').slice(0, -1)
}

/** Does what curl would do with -H and -d. */
function curl(words: string[]): Promise<Response> {
  const [url = '', ...options] = words
  const headers = new Headers()
  let body = ''
  for (let at = 0; at < options.length; at += 2) {
    const [option, value = ''] = options.slice(at, at + 2)
    if (option === '-H') headers.append(value.slice(0, value.indexOf(':')), value.slice(value.indexOf(':') + 1).trim())
    else if (option === '-d') body = value
    else throw new Error(`what is ${option}?`)
  }
  return fetch(url, { method: 'POST', headers, body })
}

describe.each(ENGINES)('the first start on %s', (engine) => {
  let gateway: Gateway
  beforeAll(async () => {
    gateway = await startGateway({
      engine,
      config: `
sandbox: true
upstreams: [{ id: real, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [none] }]
models:
  - { id: real-model, routes: [{ upstream: real, model: x }], price: { input: 1, output: 1 } }
  - { id: both-model, routes: [{ upstream: real, model: x }, { upstream: sandbox, model: sandbox-text }], price: { input: 1, output: 1 } }
`,
    })
  })
  afterAll(() => gateway.stop())

  test('prints the address, the console and a call that works as it is pasted', async () => {
    const { stdout } = gateway.output()
    expect(stdout).toContain(`address  ${gateway.url}\n`)
    expect(stdout).toContain(`console  ${gateway.url}/console`)
    expect(stdout.match(/sk-/g)).toHaveLength(1)
    expect(gateway.output().stderr).not.toContain('sk-')
    const answer = await curl(wordsOfCurl(stdout))
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('[sandbox] You said: Hello')
  })

  test('the key belongs to an account with the trial credit and reaches embedded models only', async () => {
    const headers = { authorization: `Bearer ${gateway.firstKey}` }
    const models = (await (await fetch(`${gateway.url}/v1/models`, { headers })).json()) as { data: { id: string }[] }
    expect(models.data.map(({ id }) => id)).toEqual(['sandbox-text'])
    for (const model of ['real-model', 'both-model']) {
      const answer = await chat(gateway.url, gateway.firstKey ?? '', {
        model,
        messages: [{ role: 'user', content: 'x' }],
      })
      expect(answer.status).toBe(403)
    }
    const [row] = await gateway.ask<UsageEntry[]>('usage', '--account', 'newcomer@trivium.local')
    const { balance_usd } = await gateway.ask<{ balance_usd: string }>(
      ...['account', 'show', '--account', 'newcomer@trivium.local'],
    )
    expect(Number(balance_usd) + Number(row?.cost_usd)).toBe(10)
  })

  test('a second start prints no secret, and the first key still works', async () => {
    const secret = gateway.firstKey ?? ''
    await gateway.kill()
    gateway = await startGateway({ home: gateway.home })
    expect(gateway.output().stdout).toContain(gateway.url)
    expect(gateway.output().stdout).not.toMatch(/sk-|curl/)
    expect((await chat(gateway.url, secret, HELLO)).status).toBe(200)
  })
})

const HELLO = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }

test('a group of the operator that is called sandbox and reaches further gets no ready-made key', async () => {
  const gateway = await startGateway({
    config: `
sandbox: true
upstreams: [{ id: real, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [none] }]
models: [{ id: real-model, routes: [{ upstream: real, model: x }], price: { input: 1, output: 1 } }]
groups: [{ id: sandbox, models: ["*"] }]
`,
  })
  expect(gateway.output().stdout).not.toContain('sk-')
  await gateway.stop()
})

test('a damaged journal is reported, kept and no obstacle', async () => {
  const home = await newHome('sqlite')
  const journal = join(home.dataDir, 'journal')
  mkdirSync(journal)
  writeFileSync(join(journal, '0-1.jsonl'), 'no JSON at all\n{"half": \n')
  const gateway = await startGateway({ home })
  expect(gateway.output().stderr).toContain('is damaged')
  expect([...new Bun.Glob('*.damaged').scanSync(journal)]).toHaveLength(1)
  await gateway.stop()
})

test('what it keeps in its folder is for its owner alone', async () => {
  const gateway = await startGateway()
  for (const name of ['secret', 'ledger.db', 'control.sock', 'control.json', 'journal']) {
    expect([name, statSync(join(gateway.home.dataDir, name)).mode & 0o077]).toEqual([name, 0])
  }
  await gateway.stop()
})
