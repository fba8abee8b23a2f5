// Trial credit of the days with the sandbox alone, when the first real upstream is added.
import { afterAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { eventually } from '../support/eventually.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES, type Home, newHome } from '../support/gateway/home.ts'

const REAL = `
sandbox: true
upstreams: [{ id: real, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [none] }]
models: [{ id: real-model, routes: [{ upstream: real, model: x }], price: { input: 1, output: 1 } }]
`
const HELLO = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }
const NEWCOMER = 'newcomer@trivium.local'

const running: Gateway[] = []
afterAll(() => Promise.all(running.map((gateway) => gateway.stop())))

/** A gateway with 10 USD at the first account, some of it spent, and 7 USD of real credit beside 10 USD at another. */
async function usedSandbox(home: Home): Promise<Gateway> {
  const gateway = await startGateway({ home })
  await gateway.command('account', 'create', '--email', 'ada@example.com')
  await gateway.command('account', 'credit', '--account', 'ada@example.com', '--amount', '7')
  expect((await chat(gateway.url, gateway.firstKey ?? '', HELLO)).status).toBe(200)
  return gateway
}

const balances = async (gateway: Gateway) => {
  const all = [NEWCOMER, 'ada@example.com'].map((email) =>
    gateway.command<{ balance_usd: string }>('account', 'show', '--account', email),
  )
  return (await Promise.all(all)).map(({ balance_usd }) => balance_usd)
}

describe.each(ENGINES)('%s', (engine) => {
  test('what is unspent of it is taken back at the next start, once, and the ledger agrees', async () => {
    const home = await newHome(engine, 'server: { drain: 0s }')
    const first = await usedSandbox(home)
    await first.kill()
    writeFileSync(home.configFile, REAL)
    const gateway = await startGateway({ home })
    running.push(gateway)
    expect(await balances(gateway)).toEqual(['0.00', '7.00'])
    const { stdout, stderr } = gateway.output()
    const sentence = /1\d\.\d+ USD of unspent sandbox trial credit taken back from 2 accounts/
    expect([sentence.test(stdout), sentence.test(stderr)]).toEqual([true, true])
    expect(await gateway.command<object>('audit')).toMatchObject({ ok: true })
  })
})

test('a real upstream that is added by a reload serves after it was taken back', async () => {
  const gateway = await usedSandbox(await newHome('sqlite'))
  running.push(gateway)
  writeFileSync(gateway.home.configFile, REAL)
  gateway.signal('SIGHUP')
  await eventually(async () => (await balances(gateway)).join() === '0.00,7.00')
})

test('keep_sandbox_credit keeps it', async () => {
  const home = await newHome('sqlite', 'server: { drain: 0s }')
  const first = await usedSandbox(home)
  const before = await balances(first)
  await first.kill()
  writeFileSync(home.configFile, `${REAL}registration: { keep_sandbox_credit: true }\n`)
  const gateway = await startGateway({ home })
  running.push(gateway)
  expect(await balances(gateway)).toEqual(before)
})

test('account create says what credit it gave', async () => {
  const [gateway] = running
  const created = await gateway?.command('account', 'create', '--email', 'new@example.com')
  expect(created).toMatchObject({ credit_usd: '10.00', credit_is_trial: true })
  const given = await gateway?.command('account', 'create', '--email', 'paid@example.com', '--credit', '3')
  expect(given).toMatchObject({ credit_usd: '3.00', credit_is_trial: false })
})
