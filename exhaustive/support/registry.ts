// An npm registry on loopback that knows only what is published to it, and asks no other one.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Registry = { url: string; env: Record<string, string>; stop(): Promise<void> }

/** Loaded by Node, for which it is made. Prints its port. */
const SERVER = `
const { runServer } = require('verdaccio')
runServer(JSON.parse(process.argv[1])).then((server) =>
  server.listen(0, '127.0.0.1', () => console.log(server.address().port)))
`

export async function startRegistry(folder: string): Promise<Registry> {
  mkdirSync(folder, { recursive: true })
  const config = {
    storage: join(folder, 'storage'),
    self_path: join(folder, 'config.yaml'),
    auth: { htpasswd: { file: join(folder, 'htpasswd') } },
    uplinks: {},
    packages: { '**': { access: '$all', publish: '$all' } },
    publish: { allow_offline: true },
    max_body_size: '200mb',
    web: { enable: false },
    middlewares: {},
    log: { type: 'stdout', format: 'json', level: 'fatal' },
  }
  const child = Bun.spawn(['node', '-e', SERVER, JSON.stringify(config)], {
    cwd: join(import.meta.dir, '..'),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += Buffer.from(chunk).toString()
    if (/^\d+\n/.test(printed)) break
  }
  const port = /^\d+/.exec(printed)?.[0]
  if (port === undefined) throw new Error(`the registry did not start: ${printed}`)
  const url = `http://127.0.0.1:${port}/`
  const settings = join(folder, 'npmrc')
  writeFileSync(settings, `registry=${url}\n//127.0.0.1:${port}/:_authToken=of-nobody\n`)
  return {
    url,
    // Neither the settings of the person nor the packages that this machine has.
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      npm_config_userconfig: settings,
      npm_config_cache: join(folder, 'cache'),
      npm_config_update_notifier: 'false',
      npm_config_audit: 'false',
    },
    async stop() {
      child.kill()
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
