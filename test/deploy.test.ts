// The files of deploy/ name what the product has: variables, ports, paths and commands.
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { COMMANDS } from '../packages/gateway/src/cli/help.ts'
import { METRICS } from '../packages/gateway/src/observe/metrics/names.ts'
import { VARIABLES } from '../packages/gateway/src/server/environment.ts'
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

test('compose gives every secret that its services read', () => {
  const { services, secrets } = parse(textOf('compose.yaml')) as {
    services: Record<string, { image: string; secrets: string[]; environment: Record<string, unknown> }>
    secrets: Record<string, unknown>
  }
  for (const { secrets: used, environment } of Object.values(services)) {
    const files = Object.values(environment).flatMap(
      (value) => /^\/run\/secrets\/(\w+)$/.exec(String(value))?.[1] ?? [],
    )
    expect(files.sort()).toEqual([...used].sort())
    for (const name of used) expect(Object.keys(secrets)).toContain(name)
  }
})

describe('metrics', () => {
  const known = new Map(Object.values(METRICS).map((metric) => [metric.name, metric]))
  /** The metric that a series in an expression belongs to. */
  const metricOf = (series: string) => known.get(series) ?? known.get(series.replace(/_(bucket|sum|count)$/, ''))

  test('those that the page of monitoring names exist', () => {
    const page = readFileSync(join(DEPLOY, '../docs/operate/monitor.md'), 'utf8')
    for (const [name] of page.matchAll(/\btrivium_[a-z_]+/g)) expect([name, metricOf(name)?.name]).toEqual([name, name])
  })

  test('every one in the alert rules and in the dashboard exists, with the labels that are used', () => {
    for (const file of ['alerts.yaml', 'dashboard.json']) {
      const named = [...textOf(file).matchAll(/\b(trivium_[a-z_]+)(?:\{((?:[^{}\\]|\\.)*)\})?/g)]
      expect(named.length).toBeGreaterThan(9)
      for (const [, series = '', selector = ''] of named) {
        const metric = metricOf(series)
        expect([file, series, metric !== undefined]).toEqual([file, series, true])
        const labels = [...selector.matchAll(/([a-z_]+)\s*(?:=~|!=|=)/g)].map(([, label = '']) => label)
        for (const label of labels.filter((each) => each !== 'instance'))
          expect(metric?.labels as readonly string[]).toContain(label)
      }
    }
  })

  test('the rules and the dashboard are complete', () => {
    type Rule = { alert: string; expr: string; annotations: { summary: string; action: string } }
    const { groups } = parse(textOf('alerts.yaml')) as { groups: { rules: Rule[] }[] }
    const rules = groups.flatMap((group) => group.rules)
    expect(rules.length).toBeGreaterThanOrEqual(10)
    for (const { alert, expr, annotations } of rules) {
      expect(alert).toMatch(/^Trivium[A-Z]\w+$/)
      expect([expr, annotations.summary, annotations.action].every((text) => text.length > 5)).toBe(true)
    }
    type Panel = { id: number; type: string; title: string; targets?: { expr: string }[] }
    const { panels } = JSON.parse(textOf('dashboard.json')) as { panels: Panel[] }
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const { type, targets = [] } of panels) expect(targets.length > 0).toBe(type !== 'row')
    const { scrape_configs: scrapes } = parse(textOf('scrape.yaml')) as { scrape_configs: { job_name: string }[] }
    expect(textOf('alerts.yaml')).toContain(`up{job="${scrapes[0]?.job_name}"}`)
  })

  test('the only node is never taken out by a health check, one of several is', () => {
    const servers = (name: string) => textOf(name).match(/^\s+server .*$/gm) ?? []
    expect(servers('haproxy-one-node.cfg').map((line) => line.includes('check'))).toEqual([false])
    expect(textOf('haproxy-one-node.cfg')).not.toContain('option httpchk')
    expect(servers('haproxy.cfg').map((line) => line.includes('check'))).toEqual([true, true])
    expect(textOf('haproxy.cfg')).toContain('option httpchk GET /ready')
  })

  test('no proxy lets clients read them', () => {
    expect(textOf('nginx.conf')).toMatch(/location = \/metrics \{\s+deny all;/)
    expect(textOf('Caddyfile')).toMatch(/respond \/metrics 404/)
    for (const name of ['haproxy.cfg', 'haproxy-one-node.cfg'])
      expect(textOf(name)).toMatch(/http-request deny deny_status 404 if \{ path \/metrics \}/)
  })
})
