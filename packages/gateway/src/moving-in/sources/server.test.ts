import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { startPostgres } from '../../../../../test/support/postgres/postgres.ts'
import { mysqlProgram, startMysql } from '../../../test-support/mysql-server.ts'
import { openSource } from './open-source.ts'
import { type SourceDatabase, SourceError, type SourceRow } from './source-database.ts'

async function all(rows: AsyncIterable<SourceRow>): Promise<SourceRow[]> {
  const found: SourceRow[] = []
  for await (const row of rows) found.push({ ...row })
  return found
}

type Server = { url: string; sql: SQL; quoted(name: string): string; values: SourceRow }
const open = (url: string): Promise<SourceDatabase> => openSource(url, '/nowhere')

/** 1,000 rows in `log`, some days with many; one row in `kinds`. */
async function fill(
  sql: SQL,
  quoted: Server['quoted'],
  kinds: readonly [type: string, literal: string][],
): Promise<void> {
  await sql.unsafe(
    `CREATE TABLE log (day integer, ${quoted('Key')} varchar(40), text text, PRIMARY KEY (day, ${quoted('Key')}))`,
  )
  const rows = Array.from({ length: 1_000 }, (_, at) => `(${at % 3}, 'k${String(at).padStart(4, '0')}', 'text ${at}')`)
  await sql.unsafe(`INSERT INTO log VALUES ${rows.join(', ')}`)
  await sql.unsafe(`CREATE TABLE kinds (${kinds.map(([type], at) => `c${at} ${type}`).join(', ')})`)
  await sql.unsafe(`INSERT INTO kinds VALUES (${kinds.map(([, literal]) => literal).join(', ')})`)
}

function contract(server: () => Server): void {
  test('all rows come in order, and what changes meanwhile is not seen', async () => {
    const { url, sql } = server()
    const source = await open(url)
    const rows = source.rows('log', ['day', 'Key'], ['text'])[Symbol.asyncIterator]()
    const first = await rows.next()
    await sql.unsafe('DELETE FROM log WHERE day = 2')
    const texts = [first.value.text]
    for (let next = await rows.next(); !next.done; next = await rows.next()) texts.push(next.value.text)
    const expected = [0, 1, 2].flatMap((day) =>
      Array.from({ length: 1_000 }, (_, at) => at).filter((at) => at % 3 === day),
    )
    expect(texts).toEqual(expected.map((at) => `text ${at}`))
    expect(await all(source.rows('missing', ['id']))).toEqual([])
    const found = await all(
      source.find(
        'log',
        'Key',
        expected.map((at) => `k${String(at).padStart(4, '0')}`),
        ['Key'],
      ),
    )
    expect(found).toHaveLength(1_000)
    await source.close()
  })

  test('every value is its exact text', async () => {
    const { url, values } = server()
    const source = await open(url)
    expect(source.tables.get('log')).toEqual(new Set(['day', 'Key', 'text']))
    expect(await all(source.rows('kinds', ['c0']))).toEqual([values])
    expect(await all(source.find('kinds', 'c0', [String(values.c0)], ['c0']))).toEqual([{ c0: String(values.c0) }])
    await source.close()
  })

  test('a value that is too long is an error that names its column', async () => {
    const { url, sql } = server()
    await sql.unsafe(
      'CREATE TABLE notes (id integer, note text, PRIMARY KEY (id))'.replace(
        ' text',
        url.startsWith('mysql') ? ' longtext' : ' text',
      ),
    )
    await sql.unsafe(`INSERT INTO notes VALUES (1, repeat('x', 1048576)), (2, repeat('x', 1048577))`)
    const source = await open(url)
    const rows = source.rows('notes', ['id'])[Symbol.asyncIterator]()
    expect((await rows.next()).value.note).toHaveLength(1_048_576)
    await expect(rows.next()).rejects.toThrow('Column note of table notes has a value of more than 1048576 characters.')
    await source.close()
  })
}

describe('PostgreSQL', () => {
  let server: Server
  beforeAll(async () => {
    const url = await (await startPostgres()).freshDatabase()
    const sql = new SQL(url, { max: 1 })
    await fill(sql, (name) => `"${name}"`, [
      ...[
        ['bigint', '9007199254740993'],
        ['double precision', '5.999999999999999e-05'],
        ['boolean', 'true'],
      ],
      ...[
        ['timestamp(3)', "'2026-11-18 16:49:10.88'"],
        ['timestamptz', "'2026-11-18 17:49:10+01'"],
      ],
      ...[
        ['jsonb', `'{"a": 1}'`],
        ['text[]', '\'{a,"b c"}\''],
        ['bytea', "'\\x00ff'"],
        ['text', 'NULL'],
      ],
    ] as [string, string][])
    const values = {
      c0: '9007199254740993',
      c1: '5.999999999999999e-05',
      c2: 'true',
      c3: '2026-11-18 16:49:10.88',
      c4: '2026-11-18 16:49:10+00',
      c5: '{"a": 1}',
      c6: '{a,"b c"}',
      c7: '\\x00ff',
      c8: null,
    }
    server = { url, sql, quoted: (name) => `"${name}"`, values }
  })
  afterAll(() => server.sql.close())
  contract(() => server)

  test('a source that goes away is an error without a secret', async () => {
    const url = new URL(server.url)
    url.searchParams.set('application_name', 'reader')
    const source = await open(url.href)
    const rows = source.rows('log', ['day', 'Key'])[Symbol.asyncIterator]()
    await rows.next()
    await server.sql.unsafe(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'FETCH%' AND pid <> pg_backend_pid()`,
    )
    let thrown: unknown
    try {
      while (!(await rows.next()).done);
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(SourceError)
    await source.close()
  })

  test('a database that is not there, or another password, are errors without the password', async () => {
    const { port } = new URL(server.url)
    for (const from of [
      `postgres://postgres:s3cr3t%40x@127.0.0.1:${port}/missing`,
      'postgres://u:s3cr3t%40x@127.0.0.1:1/x',
    ]) {
      const error = await open(from).catch((thrown) => thrown)
      expect(error).toBeInstanceOf(SourceError)
      expect(error.message).toStartWith('The database at 127.0.0.1:')
      expect(error.message).not.toContain('s3cr3t')
    }
  })
})

const program = mysqlProgram()
if (program) {
  describe('MySQL', () => {
    let server: Server
    let stop: () => Promise<void>
    beforeAll(async () => {
      const started = await startMysql(program)
      stop = started.stop
      const shell = new SQL(started.url('information_schema'), { max: 1 })
      await shell.unsafe('CREATE DATABASE source')
      await shell.close()
      const url = started.url('source')
      const sql = new SQL(url, { max: 1 })
      await fill(sql, (name) => `\`${name}\``, [
        ...[
          ['bigint PRIMARY KEY', '9007199254740993'],
          ['double', '7.5e-08'],
          ['tinyint(1)', '1'],
          ['decimal(10,4)', '1.5'],
        ],
        ...[
          ['datetime(3)', "'2026-11-18 16:49:10.88'"],
          ['json', `'{"a": 1}'`],
          ['blob', "x'00ff'"],
          ['text', 'NULL'],
        ],
        ...[
          ['bit(1)', "b'1'"],
          ['text', "'é'"],
        ],
      ] as [string, string][])
      const values = {
        c0: '9007199254740993',
        c1: '0.000000075',
        c2: '1',
        c3: '1.5000',
        c4: '2026-11-18 16:49:10.880',
        c5: '{"a": 1}',
        c6: Buffer.from([0, 255]),
        c7: null,
        c8: '1',
        c9: 'é',
      }
      server = { url, sql, quoted: (name) => `\`${name}\``, values }
    })
    afterAll(async () => {
      await server.sql.close()
      await stop()
    })
    contract(() => server)
  })
}
