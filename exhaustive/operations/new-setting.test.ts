// Adds a setting and a metric to a copy of the sources, in the files that docs/contribute/adding.md lists and in no others.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { checkTypes, copyWith, type Edits, expectListed } from '../support/how-to.ts'

const SETTING: Edits = {
  'packages/gateway/src/config/sections/server.ts': (source) =>
    source.replace(
      '  drainMs: setting(',
      "  showPrices: setting('show_prices', boolean, false, { en: 'Shows prices on receipts.', zh: '在收据上显示价格。' }),\n$&",
    ),
  'packages/gateway/src/paid-call/receipts/usage-endpoint.ts': (source) => `${source}
export const showsPrices = ({ catalogue }: UsageDependencies): boolean => catalogue().config.server.showPrices
`,
}
const METRIC: Edits = {
  'packages/gateway/src/observe/metrics/names.ts': (source) =>
    source.replace('  jobs: counter(', "  seen: counter('seen_requests_total', 'Requests that were seen.'),\n$&"),
  'packages/gateway/src/observe/metrics/request-metrics.ts': (source) =>
    source.replace('malformed.add(1)', 'void [malformed.add(1), metrics.seen.add(1)]'),
}

let copy: string
let gateway: Gateway
beforeAll(async () => {
  copy = copyWith({ ...SETTING, ...METRIC })
  gateway = await startGateway({
    main: join(copy, 'packages/gateway/src/main.ts'),
    config: 'server: { show_prices: true }\n',
  })
})
afterAll(async () => {
  await gateway?.stop()
  rmSync(copy, { recursive: true, force: true })
})

test('the page lists the files, at most three', () => {
  expectListed('Add a setting', SETTING, 3)
  expectListed('Add a metric', METRIC, 3)
})

test('the setting is read and shown with its default', async () => {
  type Shown = { settings: { id: string }[] }
  const { settings } = await gateway.command<Shown>('settings', 'show', 'server.show_prices')
  expect(settings.find(({ id }) => id === 'server.show_prices')).toMatchObject({
    type: 'boolean',
    value: true,
    default: false,
    description: 'Shows prices on receipts.',
  })
})

test('the metric is shown', async () => {
  expect(await (await fetch(`${gateway.url}/metrics`)).text()).toContain('# HELP trivium_seen_requests_total')
})

test('both have types', async () => {
  const include = [...Object.keys({ ...SETTING, ...METRIC }), 'packages/gateway/src/**/*.d.ts']
  const program = { extends: './tsconfig.base.json', compilerOptions: { lib: ['ESNext'], types: ['bun'] }, include }
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify(program))
  await checkTypes(copy, '.')
})
