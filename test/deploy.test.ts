// The files of deploy/ name what the product has: variables, ports, paths and commands.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { COMMANDS } from '../packages/gateway/src/cli/help.ts'
import { VARIABLES } from '../packages/gateway/src/environment.ts'
import { VERSION } from '../packages/gateway/src/observe/version.ts'
import { ROUTES } from '../packages/protocol/src/routes.ts'

const DEPLOY = join(import.meta.dir, '../deploy')
const texts = readdirSync(DEPLOY, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('/secrets'))
  .map((entry) => ({ name: entry.name, text: readFileSync(join(entry.parentPath, entry.name), 'utf8') }))
const textOf = (name: string) => texts.find((each) => each.name === name)?.text ?? ''

test('every variable is one that the program reads', () => {
  const named = texts.flatMap(({ text }) => [...text.matchAll(/\b(?:TRIVIUM_[A-Z_]+|DATABASE_URL[A-Z_]*)\b/g)])
  expect(named.length).toBeGreaterThan(5)
  for (const [name] of named) expect(VARIABLES as readonly string[]).toContain(name)
})

test('every path of a proxy is served', () => {
  const paths = texts.flatMap(({ text }) => [...text.matchAll(/(?:GET|location =|path) (\/[a-z]+)/g)])
  const served: string[] = Object.values(ROUTES).map(({ path }) => path)
  for (const [, path = ''] of paths) expect(served).toContain(path)
})

test('every command exists', () => {
  const run = texts.flatMap(({ text }) => [...text.matchAll(/(?:bin\/trivium |\["trivium", "|\nCMD \[")([a-z]+)/g)])
  const names = run.map(([, name = '']) => name)
  expect(names).toContain('ready')
  for (const name of names) expect([...COMMANDS.keys()]).toContain(name)
})

test('port 3333 is the only one of the gateway', () => {
  const named = texts.flatMap(({ text }) => [
    ...text.matchAll(/(?:127\.0\.0\.1|10\.0\.0\.2|PORT=|EXPOSE )[: ]?(\d{2,5})\b/g),
  ])
  expect(named.length).toBeGreaterThan(4)
  expect(new Set(named.map(([, port]) => port))).toEqual(new Set(['3333']))
})

test('compose gives every secret that its services read, and the version of the program', () => {
  const { services, secrets } = parse(textOf('compose.yaml')) as {
    services: Record<string, { image: string; secrets: string[]; environment: Record<string, unknown> }>
    secrets: Record<string, unknown>
  }
  expect(services.trivium?.image).toBe(`trivium:${VERSION}`)
  for (const { secrets: used, environment } of Object.values(services)) {
    const files = Object.values(environment).flatMap(
      (value) => /^\/run\/secrets\/(\w+)$/.exec(String(value))?.[1] ?? [],
    )
    expect(files.sort()).toEqual([...used].sort())
    for (const name of used) expect(Object.keys(secrets)).toContain(name)
  }
})
