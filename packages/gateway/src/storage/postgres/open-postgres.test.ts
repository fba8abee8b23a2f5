import { afterAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { startPostgres } from '../../../../../test/support/postgres/postgres.ts'
import { ask, freshSchema, ownClock } from '../../../../../test/support/postgres/schemas.ts'
import { extend, hold, money, newNode, newWallet, type Opened, result } from '../../../contract/storage/harness.ts'
import { storageContract } from '../../../contract/storage/index.ts'
import type { Verb } from '../../money/ledger.ts'
import { MIGRATIONS } from '../migrations/migrations.ts'
import { type Storage, StoreDown } from '../storage.ts'
import { openPostgres } from './open-postgres.ts'

const server = await startPostgres()

const START = Date.now()
const { url: address, set, close: closeClock } = await ownClock(await freshSchema(), START)
afterAll(closeClock)
await (await openPostgres(address)).close()
const shell = new SQL(address, { max: 1, bigint: true })
afterAll(() => shell.close())

/**
 * Empties the tables: to create them anew for every test takes far longer. So does TRUNCATE, unless a test has left many rows. But
 * it makes the connections forget their plans: those for few responses are too slow for the longest chain. Most tables have no rows.
 * Roles that replicate fire no triggers.
 */
const EMPTY = `
  SET session_replication_role = replica;
  DO $$
  DECLARE
    names text[] := array(SELECT tablename::text FROM pg_tables
      WHERE schemaname = current_schema() AND tablename NOT IN ('schema_version', 'change_counter', 'test_clock'));
    name text;
  BEGIN
    IF (SELECT max(pg_relation_size(each::regclass)) FROM unnest(names) AS each) > 200000 THEN
      EXECUTE 'TRUNCATE ' || array_to_string(names, ',');
    END IF;
    FOREACH name IN ARRAY names LOOP
      IF pg_relation_size(name::regclass) > 0 THEN
        EXECUTE 'DELETE FROM ' || name;
      END IF;
    END LOOP;
    IF pg_relation_size('response') + pg_relation_size('response_item') > 0 THEN
      TRUNCATE response, response_item;
    END IF;
  END $$;
  UPDATE change_counter SET value = 0;
  UPDATE test_clock SET now = ${START};
  SET session_replication_role = origin;`

let now = START
// One lane, so that batches keep the order in which the contract wants verbs to take effect. A machine that stands still for seconds
// breaks no rule of the contract, so it fails no statement.
const open = async () =>
  inOrder(
    await openPostgres(address, { lanes: 1, clock: () => now, clockEveryMs: 3_600_000, statementTimeoutMs: 120_000 }),
  )
/** One for all tests, since it keeps no state of rows: to connect takes longer than most tests. */
let storage = await open()
afterAll(() => storage.close())

storageContract('PostgreSQL', async (): Promise<Opened> => {
  now = START
  await shell.unsafe(EMPTY)
  return {
    storage,
    keepsOrder: true,
    raw: (text) => shell.unsafe(text),
    rawContents: (text) => shell.unsafe(text),
    now: () => now,
    elapse: async (milliseconds) => {
      now += milliseconds
      await set(now)
    },
    async reopen() {
      await storage.close()
      storage = await open()
      return storage
    },
    close: () => storage.idle(),
  }
})

/** All verbs but four have connections of their own: here they wait for what came before, and the rest waits for them. */
function inOrder(storage: Storage): Storage & { idle(): Promise<void> } {
  let before: Promise<unknown> = Promise.resolve()
  const sinceThen: Promise<unknown>[] = []
  const apply = (verb: Verb) => {
    const isBatched = ['hold', 'extend', 'settle', 'void'].includes(verb.verb)
    const gate = isBatched ? before : Promise.allSettled(sinceThen.splice(0))
    const result = gate.then(() => storage.ledger.apply(verb))
    sinceThen.push(result)
    if (!isBatched) before = result.catch(() => undefined)
    return result
  }
  const idle = async () => void (await Promise.allSettled(sinceThen.splice(0)))
  return { ...storage, ledger: { ...storage.ledger, apply }, idle, close: () => idle().then(() => storage.close()) }
}

test('three nodes that start at once on an empty database create its tables once', async () => {
  const address = await server.freshDatabase()
  const nodes = await Promise.all([1, 2, 3].map(() => openPostgres(address)))
  const versions = await ask(address, 'select version from schema_version order by version')
  expect(versions).toEqual(MIGRATIONS.map(({ version }) => ({ version })))
  await Promise.all(nodes.map((node) => node.ping()))
  await Promise.all(nodes.map((node) => node.close()))
})

test.each([
  ['no server', (address: URL) => (address.port = '1')],
  ['wrong password', (address: URL) => (address.password = 'guessed-wrong')],
  ['no such database', (address: URL) => (address.pathname = '/nonesuch')],
])('%s: the store is down, and the error does not contain the password', async (_, spoil) => {
  const address = new URL(await server.freshDatabase())
  spoil(address)
  const error = await openPostgres(address.href).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StoreDown)
  expect(String(error)).not.toContain(address.password)
})

test('the URL selects the database, whatever the environment says', async () => {
  const address = await freshSchema()
  process.env.PGDATABASE = 'nonesuch'
  try {
    const storage = await openPostgres(address)
    await storage.ping()
    await storage.close()
  } finally {
    delete process.env.PGDATABASE
  }
})

test('an extension whose answer was lost is answered again and not granted twice', async () => {
  const storage = await openPostgres(await freshSchema())
  const [wallet, node] = [await newWallet(storage), await newNode(storage)]
  await storage.ledger.apply(hold(1n, wallet, node))
  const lost = extend(1n, node, { known: 100n, amount: 50n, minimum: 50n, progress: 20n })
  expect(await storage.ledger.apply(lost)).toEqual(result('done', 50n))
  expect(await storage.ledger.apply({ ...lost, progress: 30n })).toEqual(result('repeated', 50n))
  expect(
    await storage.ledger.apply(extend(1n, node, { known: 150n, amount: 900n, minimum: 900n, progress: 40n })),
  ).toEqual(result('no_balance', 850n))
  expect(await money(storage, wallet)).toMatchObject({ balance: 1_000n, held: 150n })
  // Each of the three brought progress, and it is what the reaper charges.
  await storage.ledger.apply({ verb: 'leave', ...node })
  await storage.ledger.apply({ verb: 'reap', limit: 1 })
  expect(await money(storage, wallet)).toMatchObject({ balance: 960n, held: 0n })
  await storage.close()
})

test('a node id whose former process is known to be dead can be taken over at once', async () => {
  const storage = await openPostgres(await freshSchema())
  const join = { verb: 'join', nodeId: 1, config: 'test' } as const
  expect(await storage.ledger.apply(join)).toEqual(result('done', 1n))
  expect(await storage.ledger.apply(join)).toEqual(result('node_taken'))
  expect(await storage.ledger.apply({ ...join, takeover: false })).toEqual(result('node_taken'))
  expect(await storage.ledger.apply({ ...join, takeover: true })).toEqual(result('done', 2n))
  await storage.close()
})
