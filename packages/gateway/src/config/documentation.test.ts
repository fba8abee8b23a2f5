// docs/reference/configuration.md shows files that load, with the defaults. test/documentation/ loads those of the other pages.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BUILT_IN } from '../server/config.ts'
import { assemble } from './assemble.ts'

const ROOT = join(import.meta.dir, '../../../..')
const blocksOf = (page: string): string[] =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '')
const BLOCKS = blocksOf('docs/reference/configuration.md')
const NUMBERED = BLOCKS.map((block, index): [number, string] => [index + 1, block])
const ALERT_SECRET = `whsec_${Buffer.alloc(32).toString('base64')}`
const ENV = {
  MAIN_KEY: 'a-key',
  CLIENT_SECRET: 'a-secret',
  VAULT_ROLE_ID: 'a-role',
  VAULT_SECRET_ID: 'a-secret',
  KEY_1: 'key-1',
  KEY_2: 'key-2',
  AZURE_KEY: 'a-key',
  SMTP_PASSWORD: 'a-word',
  METRICS_TOKEN: 'a-token-of-32-characters-or-more',
  ALERT_SECRET,
}

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-docs-'))
  copyFileSync(join(import.meta.dir, '../../fixtures/localhost.cert.pem'), join(folder, 'cert.pem'))
  copyFileSync(join(import.meta.dir, '../../fixtures/localhost.key.pem'), join(folder, 'key.pem'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const load = (source: string) => assemble({ source, file: join(folder, 'trivium.yaml'), env: ENV }, BUILT_IN)

test('the page has an example of every section', () => {
  const sections = new Set(BLOCKS.flatMap((block) => [...block.matchAll(/^(\w+):/gm)].map(([, name]) => name)))
  expect([...sections].sort()).toEqual([
    'alerts',
    'archive',
    'attribution',
    'callbacks',
    'compatibility',
    'console',
    'groups',
    'mail',
    'media',
    'models',
    'notices',
    'registration',
    'retention',
    'sandbox',
    'secrets',
    'server',
    'sign_in',
    'tools',
    'upstreams',
  ])
})

test.each(NUMBERED)('example %d loads', (_, block) => {
  expect(load(block).mistakes).toEqual([])
})

const MARKED = /^(\s+)\w+: [^#\n]+#(?: default;.*|.*\(default\).*)$/gm
const WITH_DEFAULTS = NUMBERED.filter(([, block]) => /\(default\)|# default;/.test(block))

test.each(WITH_DEFAULTS)('example %d: the documented defaults apply without it', (_, block) => {
  const without = block.replace(MARKED, '$1# left out')
  expect(without).not.toMatch(/\(default\)|# default;/)
  const [shown, left] = [load(block), load(without)]
  expect(left.mistakes).toEqual([])
  expect(left.config?.hash).toBe(shown.config?.hash ?? '')
})

test('“(default)” is never written after another value', () => {
  const misplaced = BLOCKS.flatMap((block) => block.match(/^.*#.*(?:;|\w+: ).*\(default\).*$/gm) ?? [])
  expect(misplaced).toEqual([])
})
