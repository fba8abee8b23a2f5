// backup, restore and migrate: they read or fill a whole store, and open it themselves.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { FINGERPRINT, fingerprintOf } from '../../access/secrets/fingerprint.ts'
import { createArchive } from '../../backup/archive/write-archive.ts'
import { BackupError } from '../../backup/errors.ts'
import { moveData } from '../../backup/move-data.ts'
import { createProgress, type Progress } from '../../backup/progress.ts'
import { restoreBackup } from '../../backup/restore-backup.ts'
import { SHORTEST_PASSPHRASE } from '../../backup/seal-secret.ts'
import { writeBackup } from '../../backup/write-backup.ts'
import { mapSecrets } from '../../config/secret-paths.ts'
import type { EntryKind } from '../../config/stored.ts'
import { describeSystemError } from '../../config/system-error.ts'
import type { Environment } from '../../config/types.ts'
import { mediaFolder } from '../../media/open-media.ts'
import { formatUsd } from '../../money/amount.ts'
import { readEntryValue } from '../../storage/console/configuration.ts'
import type { Audited } from '../../storage/copying/check.ts'
import type { Source } from '../../storage/copying/copy.ts'
import { FolderInUse } from '../../storage/storage.ts'
import type { Arguments } from '../args.ts'
import type { CommandContext } from '../context.ts'
import { CommandError, UsageError } from '../errors.ts'
import { loadConfiguration } from './configuration/exchange.ts'
import { localCommandsIn, type OptionTexts } from './declare.ts'
import { readTextFile } from './read-text.ts'

const PASSPHRASE: OptionTexts = {
  'passphrase-file FILE': 'read the passphrase of the master secret from this file',
  'passphrase-stdin': 'read the passphrase from standard input',
}

export const BACKUP_COMMANDS = localCommandsIn('Backup', [
  {
    name: 'backup',
    positionals: [{ name: 'FILE', summary: 'the archive to write; it must not exist' }],
    options: {
      ...PASSPHRASE,
      'without-secret': 'omit the master secret; a restore then needs TRIVIUM_SECRET',
      'without-media': 'omit stored images and videos',
    },
    summary: 'back up all data to one file, even while the server runs',
    example: 'backup trivium.tar --passphrase-file passphrase.txt',
    run: (parsed, context, json) => backup(parsed, context, progressOf('backup', json)),
  },
  {
    name: 'restore',
    positionals: [{ name: 'FILE', summary: 'an archive written by backup' }],
    options: { ...PASSPHRASE, unauthenticated: 'accept a backup that cannot prove that nobody has changed it' },
    summary: 'fill an empty data folder or database from a backup',
    example: 'restore trivium.tar --passphrase-file passphrase.txt',
    run: (parsed, context, json) => restore(parsed, context, progressOf('restore', json)),
  },
  {
    name: 'migrate',
    options: {
      'to URL': 'the empty PostgreSQL database; default: DATABASE_URL',
      'to-file FILE': 'read the URL from this file, because other users can see arguments',
    },
    summary: 'move the data of a SQLite folder to PostgreSQL; the server must be stopped',
    example: 'migrate --to-file database-url.txt',
    run: (parsed, context, json) => migrate(parsed, context, progressOf('migrate', json)),
  },
])

/** With --json an error is the only line. */
const progressOf = (command: string, json: boolean): Progress =>
  json ? () => {} : createProgress((message) => process.stderr.write(`${command}: ${message}\n`))

async function backup({ positionals, values, flags }: Arguments, context: CommandContext, progress: Progress) {
  const file = resolve(positionals[0] ?? '')
  if (existsSync(file)) throw new UsageError(`${file} exists already: choose another name`)
  if (!existsSync(dirname(file))) throw new UsageError(`the folder ${dirname(file)} does not exist`)
  const without = flags.has('without-secret')
  const given = [flags.has('passphrase-stdin'), values['passphrase-file'] !== undefined, without].filter(Boolean).length
  if (given > 1) throw new UsageError('use one of --passphrase-file, --passphrase-stdin and --without-secret')
  const passphrase = await passphraseOf(values, flags)
  if (passphrase === undefined && !without)
    throw new UsageError(
      'give a passphrase that encrypts the master secret (--passphrase-file FILE or --passphrase-stdin), or leave it out (--without-secret)',
    )
  const environment = context.environment()
  // Mistakes of the file are told before anything is written.
  await context.config(environment)
  return failing('the backup failed', async () => {
    const archive = await createArchive(file)
    try {
      const { manifest, authenticated } = await writeBackup(archive, {
        program: context.version,
        dataDir: environment.dataDir,
        openSource: () => context.openSource(environment, { scratch: `${file}.part.ledger.db` }),
        media: (source) => mediaPlace(environment, context, source),
        withoutMedia: flags.has('without-media'),
        secret: (source) => secretOf(environment, source, without),
        passphrase,
        progress,
      })
      const bytes = await archive.finish()
      const { members, sums, media, engine, created_at, schema_version, has_secret } = manifest
      return {
        file,
        bytes,
        engine,
        schema_version,
        created_at,
        rows: members.reduce((sum, { rows = 0 }) => sum + rows, 0),
        media,
        journal_files: members.filter(({ name }) => name.startsWith('journal/')).length,
        has_secret,
        authenticated,
        balance_usd: formatUsd(BigInt(sums.balance)),
        held_usd: formatUsd(BigInt(sums.held)),
      }
    } catch (error) {
      await archive.abandon()
      throw error
    }
  })
}

/** Where media are, may be stored. The secrets of S3 are not needed for that. */
async function mediaPlace(environment: Environment, context: CommandContext, source: Source) {
  const rows = source.version < 2 ? [] : await source.query('SELECT kind, id, value, revision FROM stored_entry')
  const entries = rows.map(({ kind, id, value, revision }) => {
    const entry = {
      kind: kind as EntryKind,
      id: String(id),
      value: readEntryValue(String(value)),
      revision: Number(revision),
    }
    return { ...entry, value: mapSecrets(entry, () => 'sealed') }
  })
  const { config } = await loadConfiguration(environment.configFile, context, entries)
  const folder = mediaFolder(environment, config)
  return folder === undefined ? 's3' : { folder }
}

/** The secret of the environment or of the folder; undefined if neither has one and that is allowed. Throws unless the store was created with it. */
async function secretOf(
  { secret, secretOld, dataDir }: Environment,
  source: Source,
  mayLack: boolean,
): Promise<string | undefined> {
  const [row] = await source.query(`SELECT value FROM meta WHERE name = '${FINGERPRINT}'`)
  const file = join(dataDir, 'secret')
  if (secret === undefined && !existsSync(file) && mayLack) return undefined
  if (secret === undefined && !existsSync(file))
    throw new BackupError(`${file} does not exist: set TRIVIUM_SECRET as for the server, or use --without-secret`)
  // Before a rotation begins, servers have the new secret already, and the old one is in force.
  const candidates =
    secret === undefined ? [readFileSync(file, 'utf8').trim()] : [secret, ...(secretOld ? [secretOld] : [])]
  const found = candidates.find((each) => !row || fingerprintOf(each) === row.value)
  if (found === undefined)
    throw new BackupError('TRIVIUM_SECRET does not match the secret that this store was created with')
  return found
}

async function restore({ positionals, values, flags }: Arguments, context: CommandContext, progress: Progress) {
  const file = resolve(positionals[0] ?? '')
  if (!existsSync(file)) throw new UsageError(`${file} does not exist`)
  const passphrase = await passphraseOf(values, flags)
  const mayLackHmac = flags.has('unauthenticated')
  const environment = context.environment({ mayLackSecret: true })
  const { dataDir, secret } = environment
  return failing('the restore failed', async () => {
    const { manifest, rows, audit, wroteSecret, authenticated } = await restoreBackup(file, {
      dataDir,
      openTarget: () => reach(environment, context.openTarget),
      mediaFolder: mediaFolder(environment, await context.config(environment)),
      secret,
      passphrase,
      mayLackHmac,
      progress,
    })
    const { sums, media } = manifest
    return {
      ok: audit.ok,
      database: context.describeDatabase(environment),
      created_at: manifest.created_at,
      authenticated,
      rows,
      media,
      balance_usd: formatUsd(BigInt(sums.balance)),
      held_usd: formatUsd(BigInt(sums.held)),
      audit: shown(audit),
      ...(wroteSecret ? { secret_file: join(dataDir, 'secret') } : {}),
    }
  })
}

async function migrate({ values }: Arguments, context: CommandContext, progress: Progress) {
  const environment = context.environment({ mayLackSecret: true })
  const databaseUrl = targetUrl(values) ?? environment.databaseUrl
  if (databaseUrl === undefined)
    throw new UsageError('name the PostgreSQL database: --to URL, --to-file FILE, or DATABASE_URL')
  const { dataDir } = environment
  return failing('the move failed', async () => {
    const options = { scratch: join(dataDir, 'ledger.db.moving'), alone: true }
    const source = await context.openSource({ dataDir, databaseUrl: undefined }, options)
    try {
      const place = { dataDir, databaseUrl }
      const { again, at, rows, sums, audits } = await moveData({
        source,
        openTarget: () => reach(place, context.openTarget),
        openMoved: () => context.openSource(place, options),
        progress,
      })
      return {
        ok: audits.source.ok && audits.target.ok,
        already_moved: again,
        moved_at: at,
        rows,
        balance_usd: formatUsd(sums.balance),
        held_usd: formatUsd(sums.held),
        source_audit: shown(audits.source),
        target_audit: shown(audits.target),
        next: `move ledger.db* and contents.db* out of ${dataDir}, and start the server with DATABASE_URL and TRIVIUM_SECRET or TRIVIUM_SECRET_FILE=${join(dataDir, 'secret')}`,
      }
    } finally {
      await source.close()
    }
  })
}

const shown = ({ ok, requests, transfers, failed, lostTaskHolds }: Audited) => ({
  ok,
  requests,
  transfers,
  failed,
  lost_task_holds: lostTaskHolds,
})

function targetUrl({ to, 'to-file': file }: Arguments['values']): string | undefined {
  if (to !== undefined && file !== undefined) throw new UsageError('use either --to or --to-file')
  const url = file === undefined ? to : readSmall(file)
  // It may have a password: the message does not repeat it.
  if (url !== undefined && !(/^postgres(ql)?:\/\/\S+$/.test(url) && URL.canParse(url)))
    throw new UsageError(
      `${file === undefined ? '--to' : file} must be a URL that begins with postgres:// or postgresql://`,
    )
  return url
}

async function passphraseOf(values: Arguments['values'], flags: Arguments['flags']): Promise<string | undefined> {
  const { 'passphrase-file': file } = values
  const fromInput = flags.has('passphrase-stdin')
  if (file === undefined && !fromInput) return undefined
  const passphrase = file === undefined ? (await Bun.stdin.text()).replace(/\r?\n$/, '') : readSmall(file)
  if (passphrase.length < SHORTEST_PASSPHRASE)
    throw new UsageError(`the passphrase must have at least ${SHORTEST_PASSPHRASE} characters`)
  return passphrase
}

const readSmall = (file: string): string => readTextFile(file).replace(/\r?\n$/, '')

/** One line that says what failed and why. */
type Place = Pick<Environment, 'dataDir' | 'databaseUrl'>

/** Which database cannot be used, without user and password. */
async function reach<T>(place: Place, open: (place: Place) => Promise<T>): Promise<T> {
  try {
    return await open(place)
  } catch (error) {
    if (place.databaseUrl === undefined || !(error instanceof Error && 'code' in error)) throw error
    const { host, pathname } = new URL(place.databaseUrl)
    throw new BackupError(`cannot use the database ${host}${pathname}: ${describeSystemError(error)}`)
  }
}

async function failing<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CommandError || error instanceof FolderInUse) throw error
    const reason =
      error instanceof Error && 'code' in error ? describeSystemError(error) : String((error as Error).message ?? error)
    throw new CommandError(`${what}: ${reason.split('\n')[0]}`)
  }
}
