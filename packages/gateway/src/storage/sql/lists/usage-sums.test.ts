import { expect, test } from 'bun:test'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Connection, Statement } from '../statements.ts'
import { usageSumsOver } from './usage-sums.ts'

const DAY_MS = 86_400_000

test('adding up reads the history away from the thread that serves, and finds its first day only once', async () => {
  const read: string[] = []
  const slow: string[] = []
  let known: string | undefined
  const db = new Kysely<never>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (each) => new SqliteIntrospector(each),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
  const runner = {
    async read({ sql }: Statement) {
      read.push(sql)
      return known === undefined ? [] : [{ value: known }]
    },
    async readSlowly([statement]: readonly Statement[]) {
      slow.push(statement?.sql ?? '')
      return [/min\(day\)/.test(statement?.sql ?? '') ? [{ day: 0n }] : []]
    },
    async write() {
      known = String(DAY_MS)
      return []
    },
  }
  const { addUp } = usageSumsOver({ db, runner, clock: () => 2 * DAY_MS } as unknown as Connection)
  await addUp()
  await addUp()
  expect(slow.filter((sql) => sql.includes('min(day)'))).toHaveLength(1)
  expect(read.filter((sql) => /daily_|hourly_|request|transfer/.test(sql))).toEqual([])
})
