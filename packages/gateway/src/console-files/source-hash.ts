// Identifies a bundle of the console by everything that it is made of: sources, pinned dependencies and the bundler.

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

const HASH_LENGTH = 20

/** `folder`: the package of the console; `lockfile`: which versions of its dependencies are installed. */
export async function hashSources(folder: string, lockfile: string): Promise<string> {
  const own = (await readdir(folder))
    .filter((name) => /\.ts$|^package\.json$/.test(name))
    .map((name) => join(folder, name))
  // The documentation is absent where the program was installed without it.
  const pages = await filesIn(join(folder, '../../docs')).catch(() => [])
  const files = [
    ...own.sort(),
    ...(await filesIn(join(folder, 'src'))),
    ...pages.filter((file) => file.endsWith('.md')),
  ]
  const hash = createHash('sha256').update(`${Bun.version} ${Bun.revision}\n`)
  for (const file of files) {
    const content = await readFile(file)
    hash.update(`${relative(folder, file).split(sep).join('/')} ${content.length}\n`).update(content)
  }
  // Absent where the program was installed in another way.
  hash.update(await readFile(lockfile).catch(() => ''))
  return hash.digest('hex').slice(0, HASH_LENGTH)
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.sort()
}
