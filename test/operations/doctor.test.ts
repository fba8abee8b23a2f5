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
  expect(await database()).toMatchObject({ ok: true, note: expect.stringMatching(/tables of version \d+$/) })
  await changeStore(gateway.home, 'DROP INDEX request_free')
  expect(await database()).toMatchObject({ ok: false, note: expect.stringContaining('request_free is missing') })
  await gateway.stop()
})
