// Backups of both engines, restored into both; and everything that can be wrong with an archive or with its target.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashCheaply } from '../../../../test/support/gateway/program/cheap-passwords.ts'
import { NEXT_VERSION } from '../../../../test/support/next-version.ts'
import { ask, freshSchema } from '../../../../test/support/postgres/schemas.ts'
import { hold, newNode, newWallet, settle, thrownBy } from '../../contract/storage/harness.ts'
import { changeRole, FORMAT_1, type Rewriting, rewrite } from '../../test-support/backup-rewriting.ts'
import { contentsOf, filledFolder, newFolder, SECRET } from '../../test-support/backup-store.ts'
import { type Source, UNFINISHED } from '../storage/copying/copy.ts'
import { CONTENTS_TABLES, LEDGER_TABLES, NOT_COPIED } from '../storage/copying/tables.ts'
import { MIGRATIONS } from '../storage/migrations/migrations.ts'
import { openPostgresSource } from '../storage/postgres/copying/source.ts'
import { openPostgresTarget } from '../storage/postgres/copying/target.ts'
import { openPostgres } from '../storage/postgres/open-postgres.ts'
import { openSqliteSource } from '../storage/sqlite/copying/source.ts'
import { openSqliteTarget } from '../storage/sqlite/copying/target.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { openArchive } from './archive/read-archive.ts'
import { createArchive } from './archive/write-archive.ts'
import { restoreBackup } from './restore-backup.ts'
import { writeBackup } from './write-backup.ts'

hashCheaply()

const PASSPHRASE = 'correct horse battery'
/** What a test does not say otherwise. */
const WITH_SECRET: Restoring = { secret: SECRET }
const progress = () => {}
/** A database if it begins with postgres:, else a folder. */
type Place = string
const isUrl = (place: Place) => place.startsWith('postgres')

let work: string
let folder: string
let file: string
let files = 0
const newFile = () => join(work, `backup-${++files}.tar`)
const scratch = () => join(work, `scratch-${++files}.db`)
const open = (place: Place): Promise<Source> =>
  isUrl(place) ? openPostgresSource(place) : openSqliteSource(place, { scratch: scratch() })

beforeAll(async () => {
  work = newFolder()
  folder = await filledFolder()
  file = await backup(folder, { passphrase: PASSPHRASE })
})
afterAll(() => {
  for (const each of [work, folder]) rmSync(each, { recursive: true })
})

type Backing = { dataDir?: string; passphrase?: string; secret?: string | null; media?: 's3' | 'left out' }
async function backup(place: Place, { dataDir = folder, passphrase, secret = SECRET, media: kind }: Backing = {}) {
  const written = newFile()
  const archive = await createArchive(written)
  const media = kind === 's3' ? kind : { folder: join(dataDir, 'media') }
  await writeBackup(archive, {
    program: '1.2.3',
    dataDir,
    openSource: () => open(place),
    media: async () => media,
    withoutMedia: kind === 'left out',
    secret: async () => secret ?? undefined,
    passphrase,
    progress,
  }).catch((error) => archive.abandon().then(() => Promise.reject(error)))
  await archive.finish()
  return written
}

type Restoring = { dataDir?: string; passphrase?: string; secret?: string; mayLackHmac?: boolean }
function restore(archive: string, place: Place, options: Restoring = WITH_SECRET) {
  const { dataDir, passphrase, secret, mayLackHmac = false } = options
  const used = dataDir ?? (isUrl(place) ? join(work, `beside-${++files}`) : place)
  return restoreBackup(archive, {
    dataDir: used,
    openTarget: () => (isUrl(place) ? openPostgresTarget(place) : openSqliteTarget(place)),
    mediaFolder: join(used, 'media'),
    secret,
    passphrase,
    mayLackHmac,
    progress,
  })
}

test('every table of both schemas is copied and named on the page about backups, or neither', async () => {
  const url = await freshSchema()
  await (await openPostgres(url)).close()
  const rows = await ask(url, 'select tablename as name from pg_tables where schemaname = current_schema()')
  const ofPostgres = rows.map(({ name }) => String(name))
  const source = await open(folder)
  const tables = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`
  const ofSqlite = [...(await source.query(tables)), ...(await source.query(tables, 'contents'))].map(({ name }) =>
    String(name),
  )
  await source.close()
  const copied = [...LEDGER_TABLES, ...CONTENTS_TABLES]
  expect([...new Set(ofSqlite)].sort()).toEqual([...copied, ...NOT_COPIED].sort())
  expect(ofPostgres.sort()).toEqual([...copied, 'schema_version'].sort())
  const page = readFileSync(join(import.meta.dir, '../../../../docs/operate/backup.md'), 'utf8')
  const [, section = ''] = /\n## What is in the file\n([\s\S]*?)\n## /.exec(page) ?? []
  const [, list = ''] = /`tables\/NAME\.jsonl\.zst`([^\n]*)/.exec(section) ?? []
  expect([...list.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort()).toEqual(copied.toSorted())
})

test('a backup goes from engine to engine and back: every row of every table, ids, files and the secret', async () => {
  const before = await contentsOf(await open(folder))
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(work).filter((name) => /part|scratch/.test(name))).toEqual([])
  const url = await freshSchema()
  const beside = newFolder()
  const restored = await restore(file, url, { dataDir: beside, passphrase: PASSPHRASE })
  expect(restored).toMatchObject({ wroteSecret: true, authenticated: true })
  expect(await contentsOf(await open(url))).toEqual(before)
  // Triggers are in force again, and ids continue after the last that was ever assigned.
  expect(String(await thrownBy(ask(url, 'delete from transfer')))).toContain('append-only')
  expect(await ask(url, `select nextval(pg_get_serial_sequence('session', 'id')) as id`)).toEqual([{ id: 1235n }])
  const back = newFolder()
  await restore(await backup(url, { dataDir: beside, passphrase: PASSPHRASE }), back, { passphrase: PASSPHRASE })
  expect(await contentsOf(await open(back))).toEqual(before)
  for (const path of ['journal/3-4.jsonl', 'secret', join('media', '01', `01${'a'.repeat(30)}`)]) {
    expect(readFileSync(join(back, path), 'utf8')).toBe(readFileSync(join(folder, path), 'utf8'))
    expect(statSync(join(back, path)).mode & 0o777).toBe(0o600)
  }
  const source = await open(back)
  expect((await source.tables()).find(({ name }) => name === 'session')?.lastId).toBe(1235n)
  await source.close()
  await (await openSqlite(back)).close()
  for (const each of [beside, back]) rmSync(each, { recursive: true })
})

test('what a running server has decided but not yet written to its rows is in a backup, and its files stay as they are', async () => {
  const running = newFolder()
  const storage = await openSqlite(running, { deferFrom: 1 })
  const wallet = await newWallet(storage)
  const node = await newNode(storage)
  await storage.ledger.apply(hold(7n, wallet, node))
  await storage.ledger.apply(settle(7n, node, 3n))
  const requests = () =>
    new Database(join(running, 'ledger.db'), { readonly: true }).query('SELECT id FROM request').all()
  expect(requests()).toEqual([])
  const { request = [] } = await contentsOf(await open(running))
  expect(request).toHaveLength(1)
  expect(request[0]).toContain(' cost=3 ')
  expect(requests()).toEqual([])
  await storage.close()
  rmSync(running, { recursive: true })
})

test('a plain tar reads it, and the secret is not in clear', async () => {
  const { stdout } = Bun.spawnSync(['tar', '-tf', file])
  const names = stdout.toString().trim().split('\n')
  expect(names.slice(-4)).toEqual(['secret', 'manifest.json', 'manifest.sha256', 'manifest.hmac'])
  expect(names).toContain('tables/request.jsonl.zst')
  expect(readFileSync(file).includes(SECRET)).toBe(false)
})

test.each([
  ['s3', ['media-objects.jsonl']],
  // The archive is no media.
  ['left out', [`media/02${'b'.repeat(30)}`]],
] as const)('media in %s are not in the archive', async (media, members) => {
  const written = await backup(folder, { media })
  const archive = await openArchive(written)
  expect([...archive.members.keys()].filter((name) => name.startsWith('media'))).toEqual([...members])
  if (media === 's3')
    expect(await archive.text(members[0])).toBe(
      `{"id":"02${'b'.repeat(30)}","size":15}\n{"id":"01${'a'.repeat(30)}","size":21}\n`,
    )
  const objects = media === 's3' ? 2 : 1
  expect(JSON.parse(await archive.text('manifest.json')).media).toEqual({ place: media, objects, missing: 0 })
  await archive.close()
})

test('a file that is removed meanwhile is counted as missing, but one of the archive must be there', async () => {
  const elsewhere = newFolder()
  const archived = join('media', '02', `02${'b'.repeat(30)}`)
  expect(String(await thrownBy(backup(folder, { dataDir: elsewhere })))).toContain('of the archive is missing')
  await Bun.write(join(elsewhere, archived), readFileSync(join(folder, archived)))
  const archive = await openArchive(await backup(folder, { dataDir: elsewhere }))
  expect(JSON.parse(await archive.text('manifest.json')).media).toEqual({ place: 'archive', objects: 1, missing: 1 })
  await archive.close()
  rmSync(elsewhere, { recursive: true })
})

const rewritten = (rewriting: Rewriting) => rewrite(file, newFile(), rewriting)
const ofFormat1 = () => rewritten(FORMAT_1)

describe('an archive that is not whole is rejected before anything is written', () => {
  async function rejected(archive: string, says: string | RegExp, options: Restoring = WITH_SECRET) {
    const target = join(work, `target-${++files}`)
    const error = await thrownBy(restore(archive, target, options))
    expect(String(error)).toMatch(says)
    expect(String(error)).not.toContain('\n')
    expect(existsSync(target)).toBe(false)
  }

  test('each of its members, by its name', async () => {
    const { members, close } = await openArchive(file)
    await close()
    const all = [...members.values()].filter(({ size }) => size > 0)
    expect(all.length).toBeGreaterThanOrEqual(40)
    for (const { name, at, size } of all) {
      const bytes = readFileSync(file)
      const place = at + Math.floor(size / 2)
      bytes[place] = (bytes[place] ?? 0) ^ 1
      const damaged = newFile()
      writeFileSync(damaged, bytes)
      const own: Record<string, string> = {
        'manifest.sha256': 'manifest.json has changed',
        'manifest.hmac': 'its manifest does not match its HMAC',
      }
      await rejected(damaged, own[name] ?? `${name} has changed`)
      rmSync(damaged)
    }
  })

  const cases: { name: string; make(): Promise<string> | string; says: string | RegExp; options?: Restoring }[] = [
    {
      name: 'cut off',
      make: () => {
        const cut = newFile()
        writeFileSync(cut, readFileSync(file).subarray(0, -1_024))
        return cut
      },
      says: 'ends too early',
    },
    {
      name: 'with a damaged header',
      make: () => {
        const damaged = newFile()
        writeFileSync(damaged, readFileSync(file).fill(7, 10, 20))
        return damaged
      },
      says: 'a header is damaged',
    },
    { name: 'not an archive', make: () => join(folder, 'ledger.db'), says: 'damaged or not a backup' },
    { name: 'missing', make: () => '/no/such/file', says: 'does not exist' },
    {
      name: 'with a member that its manifest does not have',
      make: () => rewritten({ manifest: (was) => ({ ...was, members: was.members.slice(1) }) }),
      says: 'it has other files than its manifest',
    },
    {
      name: 'of a later format',
      make: () => rewritten({ manifest: (manifest) => ({ ...manifest, format: 3 }) }),
      says: 'its format is 3, and this program reads 1 and 2',
    },
    {
      name: 'of later tables',
      make: () => rewritten({ manifest: (was) => ({ ...was, schema_version: 99, program: '9.0.0' }) }),
      says: /Trivium 9\.0\.0 with tables of version 99, this program knows \d+/,
    },
    {
      name: 'with another passphrase',
      make: () => file,
      says: 'passphrase is wrong',
      options: { passphrase: 'another one' },
    },
    {
      name: 'with another TRIVIUM_SECRET',
      make: () => file,
      says: 'TRIVIUM_SECRET does not match',
      options: { secret: 'x'.repeat(20) },
    },
    {
      name: 'without a secret',
      make: () => backup(folder),
      says: 'without the master secret: set TRIVIUM_SECRET',
      options: {},
    },
    {
      name: 'without the passphrase',
      make: () => file,
      says: 'give its passphrase with --passphrase-file',
      options: {},
    },
    {
      name: 'with a changed row, and sums that match it',
      make: () => rewritten({ member: changeRole, signed: 'kept' }),
      says: 'was changed after it was written',
    },
    {
      name: 'with a changed row, signed by another secret',
      make: () => rewritten({ member: changeRole, signed: { with: 'the secret of someone else' } }),
      says: 'was changed after it was written',
      options: { passphrase: PASSPHRASE },
    },
    {
      name: 'with a changed row, and a signature that an allowance does not replace',
      make: () => rewritten({ member: changeRole, signed: 'kept' }),
      says: 'was changed after it was written',
      options: { ...WITH_SECRET, mayLackHmac: true },
    },
    {
      name: 'with a changed row, and no signature',
      make: () => rewritten({ member: changeRole, signed: 'not at all' }),
      says: 'is not authenticated: it was written by an earlier version or without the master secret',
    },
    { name: 'of an earlier version, without a word', make: ofFormat1, says: 'add --unauthenticated' },
    {
      name: 'written without the master secret, without a word',
      make: () => backup(folder, { secret: null }),
      says: 'add --unauthenticated',
    },
  ]
  test.each(cases)('$name', async ({ make, says, options }) => rejected(await make(), says, options))
})

test.each([
  ['of an earlier version', ofFormat1],
  ['written without the master secret', () => backup(folder, { secret: null })],
] as const)('an archive %s is restored if that is allowed, and said not to be authenticated', async (_, make) => {
  const target = newFolder()
  const restored = await restore(await make(), target, { ...WITH_SECRET, mayLackHmac: true })
  expect(restored.authenticated).toBe(false)
  expect(await contentsOf(await open(target))).toEqual(await contentsOf(await open(folder)))
  rmSync(target, { recursive: true })
})

test('without its secret a backup is restored where TRIVIUM_SECRET is set, and no file is written for it', async () => {
  const target = newFolder()
  expect((await restore(await backup(folder), target)).wroteSecret).toBe(false)
  expect(existsSync(join(target, 'secret'))).toBe(false)
  rmSync(target, { recursive: true })
})

describe('a target with data is left as it is', () => {
  test.each([
    'ledger.db',
    'contents.db',
    'secret',
    'journal/0-1.jsonl',
    'media/x',
  ])('a folder with %s', async (name) => {
    const target = newFolder()
    await Bun.write(join(target, name), 'mine')
    expect(String(await thrownBy(restore(file, target)))).toContain(`the data folder ${target} is not empty`)
    expect(readFileSync(join(target, name), 'utf8')).toBe('mine')
    expect(existsSync(join(target, UNFINISHED))).toBe(false)
    rmSync(target, { recursive: true })
  })

  test('a folder in use', async () => {
    const target = newFolder()
    const owner = await openSqliteTarget(target)
    expect(String(await thrownBy(restore(file, target)))).toContain('is in use by process')
    await owner.abort()
    rmSync(target, { recursive: true })
  })

  test('a database with tables', async () => {
    const url = await freshSchema()
    await ask(url, 'create table mine (x integer)')
    expect(String(await thrownBy(restore(file, url)))).toContain('has tables already')
    expect(await ask(url, 'select tablename as name from pg_tables where schemaname = current_schema()')).toEqual([
      { name: 'mine' },
    ])
  })
})

test.each([
  'sqlite',
  'postgres',
] as const)('%s: a restore that fails marks its target, and can be repeated', async (engine) => {
  const target = newFolder()
  const place = engine === 'sqlite' ? target : await freshSchema()
  const bad = await rewritten({ manifest: (was) => ({ ...was, sums: { ...was.sums, held: '1' } }) })
  expect(String(await thrownBy(restore(bad, place, { dataDir: target, secret: SECRET })))).toContain(
    'the sums of balances and holds differ',
  )
  expect(existsSync(join(target, UNFINISHED))).toBe(true)
  if (engine === 'postgres')
    expect(String(await thrownBy(openPostgres(place)))).toContain('is incomplete: a restore or a move')
  await restore(file, place, { dataDir: target, secret: SECRET })
  expect(existsSync(join(target, UNFINISHED))).toBe(false)
  expect(await contentsOf(await open(place))).toEqual(await contentsOf(await open(folder)))
  if (engine === 'postgres') await (await openPostgres(place)).close()
  rmSync(target, { recursive: true })
})

test('a backup of an earlier version is restored in that version, and the next start upgrades it', async () => {
  const url = await freshSchema()
  MIGRATIONS.push(NEXT_VERSION)
  try {
    await restore(file, url)
    const versions = () => ask(url, 'select max(version) as version from schema_version')
    expect(await versions()).toEqual([{ version: NEXT_VERSION.version - 1 }])
    await (await openPostgres(url)).close()
    expect(await versions()).toEqual([{ version: NEXT_VERSION.version }])
    // The migration has run over the rows of the backup.
    expect(await ask(url, 'select name from badge')).toHaveLength(1)
  } finally {
    MIGRATIONS.pop()
  }
})
