// Commands in a clone run from one file with its bytecode: that takes a fifth of the CPU time of their thousand modules. Each start of
// the server makes the file if the sources have changed; until then, commands run from the sources. Plain Node without dependencies.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'

const CACHE = 'node_modules/.cache/trivium-commands'

/** The file with all commands; undefined: there is none of these sources. */
export function bundledCommands(root) {
  try {
    const { folder, inputs } = JSON.parse(readFileSync(join(root, CACHE, 'current.json'), 'utf8'))
    const isUnchanged = ([path, time, size]) => {
      const { mtimeMs, size: now } = statSync(join(root, path))
      return mtimeMs === time && now === size
    }
    return inputs.every(isUnchanged) ? join(root, CACHE, folder, 'main.js') : undefined
  } catch {
    return undefined
  }
}

/** In the background. Without the file commands are slower, and that is all. */
export function bundleCommands(root, bun) {
  if (bundledCommands(root)) return
  const child = spawn(bun, ['--no-env-file', join(root, 'tools/build/commands.ts'), join(root, CACHE)], {
    cwd: root,
    stdio: 'ignore',
    // The bundler needs nothing of the environment, which has secrets.
    env: {},
  })
  child.on('error', () => {})
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  child.unref()
  process.on('exit', () => child.kill())
}

/** `npx trivium` finds commands in this folder. */
export function linkCommand(root) {
  const folder = join(root, 'node_modules/.bin')
  const link = join(folder, 'trivium')
  if (existsSync(link)) return
  try {
    mkdirSync(folder, { recursive: true })
    symlinkSync('../../tools/run.mjs', link)
  } catch {
    // Another process was faster, or this user may not write here.
  }
}
