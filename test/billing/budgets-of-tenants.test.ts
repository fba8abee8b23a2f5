// A tenant that sends random tags and end users as fast as it can, under budgets that it has reached, beside one that sends a request now and
// then: the latter is served, and a budget of the former that is not reached stays exact.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { budgetOf, newWallet, type Wallet, withStorage } from '../support/budgets.ts'
import { audit } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { createDatabase, newHomeWithTables } from '../support/gateway/home.ts'
import { chatBody } from '../support/requests/client.ts'
import { configFor, startUpstream, type Upstream } from '../support/upstreams/raw-upstream.ts'

const BODY = chatBody('same', false, { max_tokens: 50 })
const LOOPS = 20
const PER_LOOP = 25
const POLITE = 25

let upstream: Upstream
let gateway: Gateway
let greedy: Wallet
let polite: Wallet
beforeAll(async () => {
  upstream = await startUpstream()
  const home = await newHomeWithTables('sqlite', configFor(upstream))
  await createDatabase(home)
  await withStorage(home, async (storage) => {
    greedy = await newWallet(storage)
    polite = await newWallet(storage)
    const { account } = greedy
    for (let each = 0; each < 200; each++)
      await storage.budgets.create(budgetOf({ kind: 'tag', account, value: `t=${each}`, amount: 90_000n }))
    await storage.budgets.create(budgetOf({ kind: 'account', account: polite.account, amount: 1_000_000_000n }))
  })
  gateway = await startGateway({ home })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  await gateway.stop()
  upstream.stop()
})

/** 16 tags, of which some have budgets. */
const randomTags = (): string =>
  Array.from({ length: 16 }, (_, at) =>
    at < 4 ? `t=${Math.floor(Math.random() * 200)}` : `x=${crypto.randomUUID()}`,
  ).join(',')

test('the polite one is served', async () => {
  const seen: Record<number, number> = {}
  const statuses: number[] = []
  const flood = Array.from({ length: LOOPS }, async () => {
    for (let each = 0; each < PER_LOOP; each++) {
      const headers = { 'x-trivium-tags': randomTags(), 'x-trivium-user': crypto.randomUUID() }
      const response = await chat(gateway.url, greedy.secret, BODY, headers)
      await response.text()
      seen[response.status] = (seen[response.status] ?? 0) + 1
    }
  })
  for (let each = 0; each < POLITE; each++) {
    const response = await chat(gateway.url, polite.secret, BODY)
    await response.text()
    statuses.push(response.status)
  }
  await Promise.all(flood)
  expect(statuses).toEqual(Array.from({ length: POLITE }, () => 200))
  expect(Object.keys(seen).filter((status) => !['200', '402', '429', '503'].includes(status))).toEqual([])
  expect(seen[402]).toBeGreaterThan(0)
})
