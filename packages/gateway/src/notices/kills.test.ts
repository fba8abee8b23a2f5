// Processes that are killed at each step of telling and sending: none tells or sends twice, and what may be lost is shown.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { newKey } from '../../contract/storage/harness.ts'
import { openClocked, STORE_ENGINES } from '../../test-support/clocked-store.ts'
import { charge, noticeNode, noticesConfig, USD } from '../../test-support/notices.ts'
import { startSmtp } from '../../test-support/smtp-server.ts'
import { CREDIT } from '../money/ledger.ts'
import { SENDING_MS } from './deliver.ts'

const PROCESS = join(import.meta.dir, '../../test-support/notices-process.ts')

test.each([...STORE_ENGINES])('on %s, a kill at any step sends none twice', async (engine) => {
  const store = await openClocked(engine, Date.UTC(2041, 4, 10, 12))
  const smtp = await startSmtp({ mode: 'plain' })
  const config = noticesConfig(smtp.port)
  const node = noticeNode(
    () => store.storage,
    () => config,
  )
  await node.find()
  /** One owner of SQLite's file at a time. */
  const runKilledAt = async (step: number): Promise<{ killed: boolean; steps: number }> => {
    await store.storage.close()
    const run = { engine, place: store.place, now: store.now(), mailPort: smtp.port, step }
    const child = Bun.spawn([process.execPath, PROCESS, JSON.stringify(run)], { stderr: 'inherit' })
    const [printed] = await Promise.all([new Response(child.stdout).text(), child.exited])
    await store.reopen()
    return { killed: child.signalCode === 'SIGKILL', steps: Number(printed) }
  }
  const outcomes: string[] = []
  for (let step = 1; ; step++) {
    await store.elapse(10 * 60_000)
    const email = `person-${step}@example.com`
    const { storage } = store
    const account = await storage.accounts.create(email, 100n * USD, CREDIT)
    if (!account) throw new Error('the address is taken')
    await node.run()
    const key = await newKey(storage, account.id, { cap: 10n * USD })
    await charge(storage, { account: account.id, key: key.id, email }, 9n * USD)
    const { killed } = await runKilledAt(step)
    // The next process finds what the killed one left, and later what it was sending.
    await node.run()
    await store.elapse(SENDING_MS)
    await node.run()
    const notices = await store.storage.notices.list(account.id, {}, 10)
    const [delivery, ...others] = await store.storage.notices.deliveriesOf(notices.map(({ id }) => id))
    expect([notices.length, others]).toEqual([1, []])
    const arrived = smtp.mails.filter(({ to }) => to.includes(email)).length
    outcomes.push(`${delivery?.state} ${arrived}`)
    if (!killed) break
  }
  await smtp.stop()
  await store.close()
  // Whatever was not being sent is sent once; what was may have arrived or not, and says so.
  const known = ['sent 1', 'unknown 0', 'unknown 1']
  expect(outcomes.filter((outcome) => !known.includes(outcome))).toEqual([])
  expect(outcomes).toContain('unknown 0')
  expect(outcomes).toContain('unknown 1')
  expect(outcomes.at(-1)).toBe('sent 1')
  expect(outcomes.length).toBeGreaterThan(8)
})
