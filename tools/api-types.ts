// Writes the types of the console API and of the admin API for the console, from the gateway's own OpenAPI document. They are not kept in
// the repository: the check of types makes them anew, and the web app is bundled without them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApiDocument } from '@trivium/gateway/openapi/document.ts'

const ROOT = join(import.meta.dir, '..')
const GENERATOR = join(ROOT, 'tools/api-client/node_modules/openapi-typescript/bin/cli.js')
const TARGET = join(ROOT, 'packages/console/src/api/schema.d.ts')

const { paths, ...document } = openApiDocument({ hasAdmin: true })
const called = Object.fromEntries(Object.entries(paths).filter(([path]) => /^\/(admin|console)\//.test(path)))
const folder = mkdtempSync(join(tmpdir(), 'trivium-types-'))
try {
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify({ ...document, paths: called }))
  const { exitCode, stderr } = Bun.spawnSync(['node', GENERATOR, file, '-o', TARGET], { stdout: 'ignore' })
  if (exitCode !== 0) throw new Error(stderr.toString())
} finally {
  rmSync(folder, { recursive: true, force: true })
}
