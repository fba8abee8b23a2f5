// `trivium prices diff`: compares the built-in price list with the configuration file, without a store.
import { afterAll, expect, test } from 'bun:test'
import { readdirSync, rmSync } from 'node:fs'
import { type Home, newHome, runCommand } from '../support/gateway/home.ts'

const homes: Home[] = []
afterAll(() => {
  for (const { dataDir } of homes) rmSync(dataDir, { recursive: true, force: true })
})

async function diff(config: string, ...more: string[]) {
  const home = await newHome('sqlite', config)
  homes.push(home)
  const answer = await runCommand(home, ['prices', 'diff', ...more])
  // The command creates no database.
  expect(readdirSync(home.dataDir)).toEqual(['trivium.yaml'])
  return answer
}

const CONFIG = `
upstreams:
  - { id: main, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: ["none"] }
models:
  - id: gpt-x
    routes: [{ upstream: main, model: gpt-4.1-2025-04-14 }]
    price: { input: 2.50, cached_input: 0.50, output: 8.00, tiers: { priority: 1.75 }, tools: { web_search: 0.01 } }
  - { id: llama, routes: [{ upstream: main, model: llama3.1 }], price: { input: 0, output: 0 } }
`

test('as JSON', async () => {
  const { code, stdout, stderr } = await diff(CONFIG, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const report = JSON.parse(stdout)
  expect(report).toMatchObject({
    date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    models: [
      {
        model: 'gpt-x',
        upstream_model: 'gpt-4.1-2025-04-14',
        vendor: 'openai',
        differences: [{ field: 'input', yours: '2.50', list: '2.00', percent: 25 }],
      },
    ],
    unknown: [{ model: 'llama', upstream_model: 'llama3.1' }],
  })
  expect(report.models[0].differences).toHaveLength(1)
  expect(report.unused).toContainEqual({ vendor: 'openai', upstream_model: 'gpt-4.1-mini' })
  expect(report.unused).not.toContainEqual({ vendor: 'openai', upstream_model: 'gpt-4.1' })
})

test('as a table', async () => {
  const { code, stdout, stderr } = await diff(CONFIG)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(
    [
      'gpt-x -> gpt-4.1-2025-04-14 (openai)',
      '  figure   yours   list   difference',
      '  input     2.50   2.00        +25 %',
      '',
      'Configured, but not in the list:',
      '  llama -> llama3.1',
      '',
      'In the list, but not configured:',
      '  openai: ',
    ].join('\n'),
  )
})

test('without vendor models it says that there is nothing to compare', async () => {
  const { code, stdout } = await diff('')
  expect(code).toBe(0)
  expect(stdout).toContain('nothing to compare')
  expect(stdout).not.toContain('sandbox')
  expect(JSON.parse((await diff('', '--json')).stdout)).toMatchObject({ models: [], unknown: [] })
})

test('an unreadable configuration is an error, as for every command', async () => {
  const { code, stdout, stderr } = await diff('models: nonsense', '--json')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('trivium.yaml:1: ')
})
