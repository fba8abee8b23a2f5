// The files of the console, bundled once for each version of its sources. Several processes may do this at once: each
// writes a folder of its own, and the first one to rename it wins.

import { createHash } from 'node:crypto'
import { access, constants, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** A file in both encodings that browsers accept. */
export type BundledFile = { brotli: Uint8Array; gzip: Uint8Array }
export type Bundle = ReadonlyMap<string, BundledFile>

export type BundleOptions = {
  /** The package of the console. */
  source: string
  lockfile: string
  /** Folders for finished bundles: the first one that can be written is used. */
  caches: readonly string[]
  /** Ends the bundler. */
  signal: AbortSignal
}

export const INDEX = 'index.html'
const DAY_MS = 86_400_000
/** How much of the bundler's messages an error repeats. */
const LONGEST_MESSAGE = 2_000

/** Takes the bundle from a cache, or makes it. Throws with the bundler's messages if it cannot be made. */
export async function openBundle(options: BundleOptions): Promise<Bundle> {
  const { source, lockfile, caches } = options
  const hash = await hashSources(source, lockfile)
  for (const cache of caches) {
    const bundle = await readBundle(join(cache, hash))
    if (bundle) return bundle
  }
  const cache = await firstWritable(caches)
  const finished = join(cache, hash)
  await build(options, finished)
  const bundle = await readBundle(finished)
  if (!bundle) throw new Error(`the bundle in ${finished} is incomplete`)
  await removeOldBundles(cache, hash)
  return bundle
}

/** undefined: there is no bundle in this folder. */
async function readBundle(folder: string): Promise<Bundle | undefined> {
  const names = await readdir(folder).catch(() => [])
  const bundle = new Map<string, BundledFile>()
  for (const name of names) {
    if (!name.endsWith('.br')) continue
    const plain = name.slice(0, -'.br'.length)
    const read = await Promise.all([readFile(join(folder, name)), readFile(join(folder, `${plain}.gz`))]).catch(
      () => undefined,
    )
    if (!read) return undefined
    bundle.set(plain, { brotli: read[0], gzip: read[1] })
  }
  return bundle.has(INDEX) ? bundle : undefined
}

async function firstWritable(folders: readonly string[]): Promise<string> {
  for (const folder of folders) {
    const isWritable = await mkdir(folder, { recursive: true })
      .then(() => access(folder, constants.W_OK))
      .then(
        () => true,
        () => false,
      )
    if (isWritable) return folder
  }
  throw new Error(`none of these folders can be written: ${folders.join(', ')}`)
}

async function build({ source, signal }: BundleOptions, finished: string): Promise<void> {
  const unfinished = `${finished}.${crypto.randomUUID()}.tmp`
  try {
    // The bundler needs nothing of the environment, which has secrets.
    const child = Bun.spawn([process.execPath, '--no-env-file', join(source, 'build.ts'), unfinished], {
      cwd: source,
      env: {},
      signal,
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const [messages, code] = await Promise.all([child.stderr.text(), child.exited])
    if (code !== 0) throw new Error(messages.trim().slice(0, LONGEST_MESSAGE) || `the bundler exited with code ${code}`)
    await rename(unfinished, finished).catch(async (error: unknown) => {
      // Another process was faster, and its bundle is the same.
      if (!(await readBundle(finished))) throw error
    })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Bundles of former versions, and what killed bundlers left. Running gateways have theirs in memory. */
async function removeOldBundles(cache: string, current: string): Promise<void> {
  for (const name of await readdir(cache).catch(() => [])) {
    const folder = join(cache, name)
    const modified = await stat(folder).catch(() => undefined)
    if (name === current || !modified || Date.now() - modified.mtimeMs < DAY_MS) continue
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }
}

// Identifies a bundle of the console by everything that it is made of: sources, pinned dependencies and the bundler.
const HASH_LENGTH = 20

/** `folder`: the package of the console; `lockfile`: which versions of its dependencies are installed. */
async function hashSources(folder: string, lockfile: string): Promise<string> {
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
