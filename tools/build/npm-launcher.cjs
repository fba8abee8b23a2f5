#!/usr/bin/env node
// Runs the executable of this machine's platform, which npm has installed as an optional dependency.
const { spawn } = require('node:child_process')
const { existsSync, readdirSync } = require('node:fs')
const { name } = require('../package.json')

const isMusl =
  process.platform === 'linux' &&
  !process.report.getReport().header.glibcVersionRuntime &&
  existsSync('/lib') &&
  readdirSync('/lib').some((name) => name.startsWith('ld-musl-'))
const platform = `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`

let program
try {
  program = require.resolve(`${name}-${platform}/bin/trivium`)
} catch {
  const advice = process.platform === 'win32' ? ' On Windows, run it in WSL.' : ''
  console.error(
    `trivium: there is no executable for ${platform}. Linux and macOS on x64 and arm64 are supported; npm must not leave out optional dependencies.${advice}`,
  )
  process.exit(1)
}

const args = process.argv.slice(2)
// Newer versions of Node can replace themselves, so that no process stands between the terminal and the server.
if (process.execve) process.execve(program, [program, ...args], process.env)
const child = spawn(program, args, { stdio: 'inherit' })
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => child.kill(name))
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
child.on('error', (error) => {
  console.error(`trivium: cannot run ${program}: ${error.message}`)
  process.exit(1)
})
