// While responses cannot be stored, the ledger goes on: they are in another file, or behind other connections.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { chat, type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { openaiAt, respondTo } from '../support/sdk/chained.ts'

/** No response can be written until the returned function is called. */
async function blockResponses({ home }: Gateway): Promise<() => Promise<void>> {
  if (home.databaseUrl === undefined) {
    const db = new Database(join(home.dataDir, 'contents.db'))
    db.run('BEGIN IMMEDIATE')
    return async () => db.close()
  }
  const sql = new SQL(home.databaseUrl, { max: 1 })
  await sql.unsafe('BEGIN; LOCK TABLE response IN ACCESS EXCLUSIVE MODE')
  return () => sql.close()
}

test.each(
  ENGINES.map((engine) => [engine] as const),
)('on %s: requests are settled while responses cannot be stored, and those say store: false', async (engine) => {
  const gateway = await startGateway({ engine })
  try {
    const account = await newKey(gateway, '10')
    const client = openaiAt(gateway.url, account.secret)
    const turn = { model: 'sandbox-text', input: 'Say 2 words.' }
    const first = await respondTo(client, false, turn)
    const free = await blockResponses(gateway)
    const waiting = respondTo(client, false, turn)
    let isWaiting = true
    void waiting.finally(() => {
      isWaiting = false
    })
    const body = { model: 'sandbox-text', messages: [{ role: 'user', content: 'Say 2 words.' }] }
    let settledMeanwhile = 0
    // Storing is given up after two seconds; until then these come and go.
    while (isWaiting) {
      const response = await chat(gateway.url, account.secret, body)
      expect(response.status).toBe(200)
      await response.text()
      if (isWaiting) settledMeanwhile++
    }
    expect(settledMeanwhile).toBeGreaterThan(3)
    expect(await waiting).toMatchObject({ status: 'completed', store: false })
    await free()
    const rows = await account.settled()
    expect(rows.every(({ outcome, cost_usd }) => outcome === 'completed' && Number(cost_usd) > 0)).toBe(true)
    expect(rows.length).toBeGreaterThanOrEqual(settledMeanwhile + 2)
    expect(await respondTo(client, true, { ...turn, previous_response_id: first.id })).toMatchObject({ store: true })
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  } finally {
    await gateway.stop()
  }
})
