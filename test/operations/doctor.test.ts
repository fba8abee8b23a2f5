// What `doctor` finds beside a running server, which alone has a SQLite database open.
import { expect, test } from 'bun:test'
import { changeStore } from '../support/gateway/ask-store.ts'
import { startGateway } from '../support/gateway/gateway.ts'
import { ENGINES } from '../support/gateway/home.ts'

test.each(ENGINES)('tables that are not those of their version are found on %s', async (engine) => {
  const gateway = await startGateway({ engine })
  const database = async () => {
    const { checks } = JSON.parse((await gateway.cli('doctor', '--json')).stdout) as { checks: { check: string }[] }
    return checks.find(({ check }) => check === 'database')
  }
  expect(await database()).toMatchObject({ ok: true, note: expect.stringMatching(/tables of version \d+\nno month/) })
  await changeStore(
    gateway.home,
    `INSERT INTO request (id, account, key, node_id, epoch, deadline, state, held, held_at, model, upstream)
      VALUES (4194304, 1, 1, -1, 1, 9000000000000, 0, 0, 0, 'm', 'u')`,
  )
  expect(await database()).toMatchObject({
    note: expect.stringContaining('2024-01 is next, but its request req_0000000000400000 is still open'),
  })
  await changeStore(gateway.home, 'DROP INDEX request_free')
  expect(await database()).toMatchObject({ ok: false, note: expect.stringContaining('request_free is missing') })
  await gateway.stop()
})
