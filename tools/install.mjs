// Installs the dependencies on the first start. Several starts at once in one checkout install once: a lock file keeps the
// others waiting. Plain Node without dependencies.
import { spawn } from 'node:child_process'
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const LOCK = '.install.lock'
const POLL_MS = 200
const RENEW_MS = 1_000
/** The owner renews its lock, so a lock that is not renewed is abandoned, even if its process id is in use again. */
const ABANDONED_AFTER_MS = 10_000

/** Installs what is missing. Throws if npm fails. */
export async function installOnce(root, withTools, abandonedAfterMs = ABANDONED_AFTER_MS) {
  const lock = join(root, LOCK)
  if (isInstalled(root, withTools) && modifiedAt(lock) === undefined) return
  await acquire(lock, abandonedAfterMs)
  const isOwned = () => ownerOf(lock) === process.pid
  const renewal = setInterval(() => isOwned() && utimesSync(lock, new Date(), new Date()), RENEW_MS)
  try {
    if (!isInstalled(root, withTools)) await install(root, withTools)
  } finally {
    clearInterval(renewal)
    if (isOwned()) rmSync(lock)
  }
}

/**
 * npm keeps a copy of what it installed; comparing it with the lockfile takes milliseconds and needs no network.
 * A server needs no development tools: NODE_ENV=production keeps npm from installing them, and a start must not retry it.
 */
function isInstalled(root, withTools) {
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
    const present = JSON.parse(readFileSync(join(root, 'node_modules/.package-lock.json'), 'utf8')).packages
    return Object.entries(wanted).every(([path, entry]) => {
      if (path === '' || path.startsWith('packages/')) return true
      if (present[path]) return present[path].version === entry.version
      return entry.optional || entry.devOptional || (entry.dev && !withTools)
    })
  } catch {
    return false
  }
}

async function install(root, withTools) {
  console.error('Installing dependencies (once)...')
  const npm = process.env.npm_execpath
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  // A server needs a fifth of what tests need, so `npm start` does not install the rest.
  args.push(withTools ? '--include=dev' : '--omit=dev')
  // Install scripts are disabled on every machine: findBun locates the only binary that needs one.
  const options = { cwd: root, stdio: ['ignore', 2, 2] }
  const child = npm?.endsWith('.js')
    ? spawn(process.execPath, [npm, ...args], options)
    : spawn('npm', args, { ...options, shell: process.platform === 'win32' })
  const isDone = await new Promise((resolve) =>
    child.on('error', () => resolve(false)).on('exit', (code) => resolve(code === 0)),
  )
  if (!isDone) throw new Error('npm could not install the dependencies (its own message is above).')
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
