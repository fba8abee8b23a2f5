// A real PostgreSQL that lacks one of the things that the ledger needs: its check fails by name, and the others do not.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { startPooler } from '../../../../../test/support/postgres/pooler.ts'
import { launchPostgres, startPostgres } from '../../../../../test/support/postgres/postgres.ts'
import { ask, ownClock } from '../../../../../test/support/postgres/schemas.ts'
import { answer, type Check } from '../../operate/doctor/question.ts'
import { requirementQuestions } from '../../operate/doctor/requirements.ts'
import type { Storage } from '../storage.ts'
import { openPostgres } from './open-postgres.ts'

let url = ''
const toClose: { close(): Promise<void> }[] = []
beforeEach(async () => {
  url = await (await startPostgres()).freshDatabase()
})
afterEach(async () => {
  for (const each of toClose.splice(0).reverse()) await each.close()
})

async function open(address = url): Promise<Storage> {
  const storage = await openPostgres(address)
  toClose.push(storage)
  return storage
}

async function examine(storage: Storage): Promise<Check[]> {
  const questions = requirementQuestions(storage)
  return await Promise.all(questions.map((question) => answer(question, (error) => String(error))))
}
const failedIn = (checks: readonly Check[]) => checks.filter(({ ok }) => !ok).map(({ check, note }) => [check, note])
/** Settings of the database, which its next connections have. */
const alter = (setting: string) => ask(url, `alter database ${new URL(url).pathname.slice(1)} set ${setting}`)

/** Another user of the database, who may do what the owner grants. */
async function guest(grants: string): Promise<string> {
  const role = `guest${new URL(url).pathname.slice(1)}`
  await ask(url, `create role ${role} login password 'secret'; ${grants.replaceAll('ROLE', role)}`)
  toClose.push({ close: async () => void (await ask(url, `drop owned by ${role}; drop role ${role}`)) })
  const address = new URL(url)
  address.username = role
  address.password = 'secret'
  return address.href
}
const TABLES =
  'grant select, insert, update, delete on all tables in schema public to ROLE; revoke execute on all functions in schema public from public;'

test('PostgreSQL as it is installed has all of it', async () => {
  const checks = await examine(await open())
  expect(failedIn(checks)).toEqual([])
  expect(checks.flatMap(({ warnings }) => warnings)).toEqual([])
  expect(checks.map(({ check }) => check)).toEqual(
    ['version', 'primary', 'sessions', 'isolation', 'locks', 'functions', 'clock', 'durability'].map(
      (name) => `database ${name}`,
    ),
  )
  expect(checks[2]?.note).toContain('each connection has its own')
})

test('several that examine at once do not disturb each other', async () => {
  const storage = await open()
  const all = await Promise.all(Array.from({ length: 8 }, () => examine(storage)))
  expect(all.flatMap(failedIn)).toEqual([])
})

test.each([
  ["default_transaction_isolation = 'serializable'", 'database isolation', "'serializable' by default"],
  ["synchronous_commit = 'off'", 'database durability', 'a crash loses charges'],
])('%s', async (setting, check, says) => {
  await (await openPostgres(url)).close()
  await alter(setting)
  const failed = failedIn(await examine(await open()))
  expect(failed).toEqual([[check, expect.stringContaining(says)]])
})

test('a user whose transactions are read-only', async () => {
  await (await openPostgres(url)).close()
  await alter('default_transaction_read_only = on')
  const [first] = failedIn(await examine(await open()))
  expect(first).toEqual(['database primary', expect.stringContaining('transactions are read-only')])
})

test('functions that the user may not execute are named', async () => {
  await (await openPostgres(url)).close()
  const address = await guest(
    `${TABLES} grant execute on all functions in schema public to ROLE; revoke execute on function ledger_reap from ROLE;`,
  )
  const failed = failedIn(await examine(await open(address)))
  expect(failed).toEqual([['database functions', expect.stringContaining('may not execute ledger_reap')]])
})

test('a clock that stands still', async () => {
  await (await openPostgres(url)).close()
  const clock = await ownClock(`${url}?search_path=public`, Date.now())
  toClose.push(clock)
  const failed = failedIn(await examine(await open(clock.url)))
  expect(failed).toEqual([['database clock', expect.stringContaining('stands still')]])
})

test('rows that the user may not lock', async () => {
  await (await openPostgres(url)).close()
  const rights = 'grant execute on all functions in schema public to ROLE; revoke update on schema_version from ROLE;'
  const failed = failedIn(await examine(await open(await guest(`${TABLES} ${rights}`))))
  expect(failed).toEqual([['database locks', expect.stringContaining('permission denied')]])
})

test('behind a pooler, all of it is there, and the pooler is named', async () => {
  const pooler = await startPooler({ url, sessions: 3 })
  toClose.push({ close: pooler.stop })
  const checks = await examine(await open(pooler.url))
  expect(failedIn(checks)).toEqual([])
  expect(checks[2]?.note).toContain('a pooler shares them')
})

test('a standby', async () => {
  const primary = await launchPostgres()
  await (await openPostgres(primary.url)).close()
  const standby = await primary.startStandby('second')
  toClose.push({ close: () => standby.stop().then(() => primary.stop()) })
  const storage = await openPostgres(standby.url, { mayCreate: false })
  toClose.push(storage)
  const failed = failedIn(await examine(storage))
  expect(failed[0]).toEqual(['database primary', expect.stringContaining('the server is a standby')])
})
