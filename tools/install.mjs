// Installs the dependencies on the first start: a server needs a fifth of what the tests need, and those need none of the tools that
// check types and format. Several starts at once in one checkout install once: a lock file keeps the
// others waiting. Plain Node without dependencies.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const LOCK = '.install.lock'
const POLL_MS = 200
const RENEW_MS = 1_000
/** The owner renews its lock, so a lock that is not renewed is abandoned, even if its process id is in use again. */
const ABANDONED_AFTER_MS = 10_000
/** How often the progress is shown: on a terminal, and in a log, where each is a line of its own. */
const SHOWN_EVERY_MS = { terminal: 250, log: 5_000 }
/** What packages contain for other programs: a sixth of what npm installs. Tests and type checks do not need it either. */
const UNUSED = [
  'gpt-tokenizer/cjs',
  'gpt-tokenizer/data',
  'gpt-tokenizer/esm/model',
  'gpt-tokenizer/src',
  'kysely/dist/cjs',
  'react-dom/cjs/react-dom-profiling.development.js',
  'react-dom/cjs/react-dom-profiling.profiling.js',
  '@noble/ciphers/src',
  '@tanstack/query-core/build/legacy',
  '@tanstack/query-core/src',
  '@tanstack/react-query/build/codemods',
  '@tanstack/react-query/build/legacy',
  '@tanstack/react-query/src',
  'yaml/browser',
]

/**
 * What npm installs of the lockfile, and which folders' dependencies that is (`''` is the root): `server` what runs, `tests` also
 * what tests need, `all` everything.
 */
const PARTS = {
  server: { folders: /^(|packages\/.*)$/, kinds: ['dependencies'], npm: ['ci', '--omit=dev'] },
  tests: {
    folders: /^(|packages\/.*)$/,
    kinds: ['dependencies', 'devDependencies'],
    npm: ['ci', '--include=dev', '--workspace=packages', '--include-workspace-root'],
  },
  // Adds to what is there: `npm ci` would delete it, and what tests keep in it.
  all: { folders: /./s, kinds: ['dependencies', 'devDependencies'], npm: ['install', '--no-save', '--include=dev'] },
  /** A package without workspaces. */
  package: { folders: /^$/, kinds: ['dependencies', 'devDependencies'], npm: ['ci', '--include=dev'] },
}

/** Installs what is missing of a part. Throws if npm fails. */
export async function installOnce(root, part, abandonedAfterMs = ABANDONED_AFTER_MS) {
  const lock = join(root, LOCK)
  if (isInstalled(root, part) && modifiedAt(lock) === undefined) return
  await acquire(lock, abandonedAfterMs)
  const isOwned = () => ownerOf(lock) === process.pid
  const renewal = setInterval(() => isOwned() && utimesSync(lock, new Date(), new Date()), RENEW_MS)
  try {
    if (!isInstalled(root, part)) await install(root, part)
  } finally {
    clearInterval(renewal)
    if (isOwned()) rmSync(lock)
  }
}

/** npm keeps a copy of what it installed; comparing it with the lockfile takes milliseconds and needs no network. */
function isInstalled(root, part) {
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
    const present = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8')).packages
    return [...neededOf(wanted, PARTS[part])].every((path) => {
      if (present[path]) return present[path].version === wanted[path].version
      return wanted[path].optional || wanted[path].devOptional
    })
  } catch {
    return false
  }
}

/** The paths of the lockfile that a part needs: what its folders depend on, and what that depends on. */
function neededOf(packages, { folders, kinds }) {
  const needed = new Set()
  const visit = (path, entry, fields) => {
    for (const name of fields.flatMap((field) => Object.keys(entry[field] ?? {}))) {
      const found = locate(packages, path, name)
      if (found === undefined || needed.has(found)) continue
      needed.add(found)
      visit(found, packages[found], ['dependencies', 'optionalDependencies', 'peerDependencies'])
    }
  }
  for (const [path, entry] of Object.entries(packages))
    if (!path.includes('node_modules') && folders.test(path)) visit(path, entry, kinds)
  return needed
}

/** As Node finds it: in the nearest folder that has it. */
function locate(packages, path, name) {
  const own = path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`
  if (packages[own]) return own
  if (path === '') return undefined
  return locate(packages, path.slice(0, Math.max(0, path.lastIndexOf('/'))), name)
}

async function install(root, part) {
  const npm = process.env.npm_execpath
  // Install scripts are disabled on every machine: findBun locates the only binary that needs one.
  const args = [...PARTS[part].npm, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--no-progress']
  // What npm prints on success is not worth a line.
  const options = { cwd: root, stdio: ['ignore', 'ignore', 2] }
  const stopShowing = showProgress(root, part)
  const child = npm?.endsWith('.js')
    ? spawn(process.execPath, [npm, ...args], options)
    : spawn('npm', args, { ...options, shell: process.platform === 'win32' })
  const isDone = await new Promise((resolve) =>
    child.on('error', () => resolve(false)).on('exit', (code) => resolve(code === 0)),
  )
  stopShowing()
  if (!isDone) throw new Error('npm could not install the dependencies (its own message is above).')
  if (part !== 'server') return
  for (const path of UNUSED) rmSync(join(root, 'node_modules', path), { recursive: true, force: true })
}

/** How many of the packages are there. The returned function ends it. */
function showProgress(root, part) {
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  // Optional packages are those of all platforms.
  const paths = [...neededOf(wanted, PARTS[part])].filter((path) => !wanted[path].optional)
  const start = performance.now()
  const isTerminal = process.stderr.isTTY
  const show = (end) => {
    const present = paths.filter((path) => existsSync(join(root, path, 'package.json'))).length
    const seconds = Math.round((performance.now() - start) / 1_000)
    const line = `Installing dependencies (once): ${present} of ${paths.length} packages, ${seconds} s`
    process.stderr.write(isTerminal ? `\r${line}${end}` : `${line}\n`)
  }
  show('')
  const timer = setInterval(() => show(''), SHOWN_EVERY_MS[isTerminal ? 'terminal' : 'log'])
  return () => {
    clearInterval(timer)
    show('\n')
  }
}

async function acquire(lock, abandonedAfterMs) {
  while (!isCreated(lock)) {
    console.error(`Another process is installing the dependencies; waiting until ${LOCK} is removed...`)
    await released(lock, abandonedAfterMs)
  }
}

function isCreated(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

/** Waits until the owner releases the lock, and removes a lock that is abandoned. */
async function released(lock, abandonedAfterMs) {
  const owner = ownerOf(lock)
  let renewedAt = modifiedAt(lock)
  let unchangedSince = performance.now()
  while (owner !== undefined && ownerOf(lock) === owner) {
    const isAbandoned = !isRunning(owner) || performance.now() - unchangedSince > abandonedAfterMs
    if (isAbandoned) return rmSync(lock, { force: true })
    await sleep(POLL_MS)
    if (modifiedAt(lock) === renewedAt) continue
    renewedAt = modifiedAt(lock)
    unchangedSince = performance.now()
  }
}

function ownerOf(lock) {
  try {
    return Number(readFileSync(lock, 'utf8'))
  } catch {
    return undefined
  }
}

const modifiedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs

/** In a restarted container this process may have the id of the former owner. */
function isRunning(pid) {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
