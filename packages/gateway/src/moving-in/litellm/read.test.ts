import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FoundUsage, Installation } from '../installation.ts'
import { openSource } from '../sources/open-source.ts'
import type { SourceDatabase } from '../sources/source-database.ts'
import { readLitellm } from './read.ts'

const folder = mkdtempSync(join(tmpdir(), 'litellm-'))
const open: SourceDatabase[] = []
afterAll(async () => {
  for (const source of open) await source.close()
  rmSync(folder, { recursive: true })
})

const NOW = Date.parse('2026-11-18T17:00:00Z')
const hash = (text: string) => createHash('sha256').update(text).digest('hex')
type Row = Record<string, string | number | null>

/** Tables with the columns of their rows: older versions have fewer. */
async function read(tables: Record<string, Row[]>, config = 'model_list: []', map?: object): Promise<Installation> {
  const file = join(folder, crypto.randomUUID())
  const db = new Database(file)
  const usual = { VerificationToken: [], UserTable: [], TeamTable: [] }
  for (const [table, rows] of Object.entries({ ...usual, ...tables })) {
    const columns = [...new Set(['user_id', 'token', ...rows.flatMap((row) => Object.keys(row))])]
    db.run(`CREATE TABLE "LiteLLM_${table}" (${columns.map((column) => `"${column}"`).join(', ')})`)
    for (const row of rows) {
      const names = Object.keys(row).map((name) => `"${name}"`)
      db.query(`INSERT INTO "LiteLLM_${table}" (${names}) VALUES (${names.map(() => '?')})`).run(
        ...(Object.values(row) as (string | number | null)[]),
      )
    }
  }
  db.close()
  const source = await openSource(file, folder)
  open.push(source)
  const files = { config, priceMap: map && JSON.stringify(map), environment: { LITELLM_SALT_KEY: 'salt' } }
  return readLitellm(source, files, { version: '', now: NOW })
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}
const said = ({ findings }: Installation, path: string) =>
  findings
    .all()
    .filter((each) => each.path === path)
    .map(({ grade, rows }) => [grade, ...rows])

test('a window that has ended counts as empty, and odd windows keep their beginning', async () => {
  const key = (name: string, duration: string | null, reset: string | null) => ({
    token: hash(name),
    key_alias: name,
    max_budget: 2,
    spend: 0.5,
    budget_duration: duration,
    budget_reset_at: reset,
  })
  const found = await read({
    VerificationToken: [
      key('ever', null, null),
      key('ended', '30d', '2026-11-01 00:00:00'),
      key('open', '7d', '2026-11-23 00:00:00'),
      key('half a day', '12h', '2026-11-19 00:00:00'),
      key('two weeks', '14d', '2026-11-30 00:00:00'),
      key('minutes', '15m', '2026-11-18 17:15:00'),
    ],
  })
  const budgets = new Map((await all(found.budgets())).map((budget) => [budget.key, budget]))
  const of = (name: string) => {
    const { period, everyHours, startsAt, spentNow } = budgets.get(`key:${hash(name)}`) ?? {}
    return [period, everyHours, startsAt, spentNow]
  }
  expect(of('ever')).toEqual([undefined, undefined, undefined, 500_000_000n])
  expect(of('ended')).toEqual(['month', undefined, undefined, 0n])
  expect(of('open')).toEqual(['week', undefined, undefined, 500_000_000n])
  expect(of('half a day')).toEqual(['hours', 12, 0, 500_000_000n])
  const [, , startsAt = 0] = of('two weeks')
  expect((Date.parse('2026-11-30') - Number(startsAt)) % (14 * 86_400_000)).toBe(0)
  expect(said(found, 'LiteLLM_VerificationToken.max_budget')[0]).toEqual(['manual', 'minutes'])
})

test('several windows, and budgets by model, are summed from the log where nothing else has them', async () => {
  const token = hash('k')
  const log = (startTime: string, spend: number, model_group: string) => ({
    request_id: crypto.randomUUID(),
    api_key: token,
    startTime,
    spend,
    model_group,
  })
  const found = await read({
    VerificationToken: [
      {
        token,
        budget_limits: '[{"max_budget": 2, "budget_duration": "1d"}, {"max_budget": 3, "budget_duration": "30d"}]',
        model_max_budget: '{"a": {"budget_limit": "1.5", "time_period": "7d"}}',
      },
    ],
    SpendLogs: [
      ...[
        log('2026-10-31 23:59:59.999', 8, 'a'),
        log('2026-11-01 00:00:00', 0.25, 'a'),
        log('2026-11-17 10:00:00', 0.5, 'a'),
      ],
      ...[log('2026-11-18 00:00:00', 0.125, 'b'), log('2026-11-18 16:00:00', 0.0625, 'a')],
    ],
  })
  const budgets = (await all(found.budgets())).map(({ kind, model, period, spentNow }) => [
    kind,
    model,
    period,
    spentNow,
  ])
  expect(budgets).toEqual([
    ['key', undefined, 'day', 187_500_000n],
    ['key', undefined, 'month', 937_500_000n],
    ['key_model', 'a', 'week', 562_500_000n],
  ])
})

test('keys that may do nothing, damaged ones, and very old ones', async () => {
  const config = `
model_list:
  - { model_name: a, litellm_params: { model: openai/a, input_cost_per_token: 1, output_cost_per_token: 1 }, model_info: { access_groups: [g] } }
  - { model_name: b, litellm_params: { model: openai/b, input_cost_per_token: 1, output_cost_per_token: 1 } }
`
  const key = (name: string, more: Row = {}) => ({ token: hash(name), key_alias: name, user_id: 'u', ...more })
  const found = await read(
    {
      UserTable: [{ user_id: 'u', models: '{a,g}' }],
      TeamTable: [{ team_id: 't', max_budget: 0 }],
      VerificationToken: [
        key('all'),
        key('none', { models: '{no-default-models}' }),
        key('group', { models: '{g,b,gone}' }),
        key('zero', { max_budget: 0 }),
        key('stopped team', { team_id: 't' }),
        key('management', { allowed_routes: '{/key/info}' }),
        key('damaged', { expires: 'soon' }),
        { ...key('old'), token: 'sk-an-old-key-in-clear' },
        { ...key('nothing'), token: 'x' },
      ],
    },
    config,
  )
  const keys = new Map((await all(found.keys())).map((each) => [each.name, each]))
  const models = (name: string) => keys.get(name)?.models
  expect(['all', 'none', 'group', 'zero', 'stopped team', 'management'].map(models)).toEqual([
    ['a'],
    [],
    ['a'],
    [],
    [],
    [],
  ])
  expect(keys.get('damaged')?.state).toBe('disabled')
  expect(Buffer.from(keys.get('old')?.secrets[0].hash ?? []).toString('hex')).toBe(hash('sk-an-old-key-in-clear'))
  expect(keys.has('nothing')).toBe(false)
  expect(said(found, 'LiteLLM_VerificationToken.token')).toEqual([['manual', 'nothing']])
  expect(said(found, 'LiteLLM_VerificationToken.models')).toEqual([['manual', 'group: gone']])
})

test('people of one address, passwords of either form, and rows that are no people', async () => {
  const user = (user_id: string, user_email: string | null, password: string | null = null) => ({
    user_id,
    user_email,
    password,
  })
  const found = await read({
    UserTable: [
      ...[user('a', 'A@x.example', hash('p')), user('b', 'a@x.example', '$2b$10$x'), user('c', null)],
      ...[user('default_user_id', null), user('litellm-proxy-budget', null)],
    ],
  })
  const people = (await all(found.people())).map(({ id, email, password }) => [id, email, password?.form])
  expect(people).toEqual([
    ['user:a', 'a@x.example', 'sha256'],
    ['user:b', undefined, undefined],
    ['user:c', undefined, undefined],
  ])
  expect(said(found, 'LiteLLM_UserTable.password')).toEqual([['manual', 'b']])
})

test('the file wins over the table, its differences are named, and variables are looked up', async () => {
  const config = `
include: [other.yaml]
model_list:
  - { model_name: a, litellm_params: { model: openai/a, api_key: os.environ/OWN, api_base: "http://h/v1", strange: 1 } }
  - { model_name: b, litellm_params: { model: watsonx/b } }
router_settings: { cooldown_time: 5, model_group_alias: { x: a, y: gone } }
environment_variables: { OWN: os.environ/THEIRS }
`
  const found = await read({ Config: [{ param_name: 'router_settings', param_value: '{"cooldown_time": 9}' }] }, config)
  expect(found.configuration.upstreams).toEqual([
    {
      id: 'openai-h-v1',
      from: 'config.yaml model_list[0]',
      value: { dialect: 'chat', base_url: 'http://h/v1', keys: [`\${THEIRS}`] },
    },
  ])
  expect(found.configuration.models.map(({ id, value }) => [id, value.aliases])).toEqual([['a', ['x']]])
  const grades = ['config.yaml.include', 'LiteLLM_Config.router_settings.cooldown_time', 'litellm_params.strange']
  expect(grades.map((path) => said(found, path)[0]?.[0])).toEqual(['manual', 'approximate', 'manual'])
  expect(said(found, 'config.yaml model_list[1]')[0]?.[0]).toBe('not_supported')
  expect(said(found, 'router_settings.model_group_alias.y')[0]?.[0]).toBe('manual')
})

test('what a wildcard was asked for has a price of its own', async () => {
  const config = 'model_list: [{ model_name: "deepseek/*", litellm_params: { model: "deepseek/*", api_key: k } }]'
  const cost = { input_cost_per_token: 2.8e-7, output_cost_per_token: 4.2e-7, mode: 'chat' }
  const found = await read({}, config, { 'deepseek/deepseek-chat': cost, 'openai/x': cost })
  expect(found.configuration.models.map(({ id, value }) => [id, value.price])).toEqual([
    ['deepseek/*', undefined],
    ['deepseek/deepseek-chat', { input: '0.28', output: '0.42' }],
  ])
})

test('of each day the sums or the log count, whichever has more', async () => {
  const log = (id: string, startTime: string) => ({
    request_id: id,
    startTime,
    api_key: 'k',
    spend: 1,
    model_group: 'a',
    status: 'success',
  })
  const found = await read({
    DailyUserSpend: [
      { id: '1', date: '2026-11-17', user_id: '', api_key: 'k', model_group: 'a', api_requests: 3, spend: 3 },
    ],
    SpendLogs: [log('1', '2026-11-16 10:00:00'), log('2', '2026-11-16 11:00:00'), log('3', '2026-11-17 10:00:00')],
  })
  const usage: FoundUsage[] = await all(found.usage())
  expect(usage.map(({ day, requests, cost }) => [day, requests, cost])).toEqual([
    [20_774, 3, 3_000_000_000n],
    [20_773, 2, 2_000_000_000n],
  ])
})

test('a table or a column that nobody knows is named', async () => {
  const found = await read({ Novelty: [{ id: 1 }], TeamTable: [{ team_id: 't', novelty: 1 }], CronJob: [] })
  expect(said(found, 'LiteLLM_Novelty')[0]?.[0]).toBe('manual')
  expect(said(found, 'LiteLLM_TeamTable.novelty')[0]?.[0]).toBe('manual')
  expect(said(found, 'LiteLLM_CronJob')).toEqual([])
})
