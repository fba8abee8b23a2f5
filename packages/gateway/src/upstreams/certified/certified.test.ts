// The tables are whole and of known kinds, and docs/reference/certified.md shows them: TRIVIUM_GOLDEN=write writes the page.
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RESULTS } from '../certification/check.ts'
import { KINDS } from '../kinds/index.ts'
import { CERTIFICATES, type Certificate, testedWith } from './index.ts'

const PAGE = join(import.meta.dir, '../../../../../docs/reference/certified.md')

test('each file is in the list', () => {
  expect(readdirSync(import.meta.dir).filter((file) => file.endsWith('.json'))).toHaveLength(CERTIFICATES.length)
})

describe.each(CERTIFICATES.map((each) => [each.server ?? each.kind, each] as const))('%s', (_, certificate) => {
  test('has a date, a known kind, a model, and a reason for all that did not pass', () => {
    const { kind, date, models, checks } = certificate
    expect([date, KINDS.has(kind), models.length > 0]).toEqual([
      expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
      true,
      true,
    ])
    for (const { result, reason } of checks) {
      expect(RESULTS).toContain(result)
      expect(reason === null).toBe(result === 'passed')
    }
  })
})

test('a kind is tested with the newest that was certified, else with what stands in for it', () => {
  expect(testedWith({ kind: 'llama-cpp', name: 'x', testedWith: 'sandbox' })).toMatch(/^llama-server \S+, 20/)
  expect(testedWith({ kind: 'openai', name: 'OpenAI', testedWith: 'sandbox' })).toBe('sandbox')
})

test('docs/reference/certified.md shows the tables', () => {
  const page = [INTRODUCTION, ...CERTIFICATES.map(sectionOf)].join('\n')
  if (process.env.TRIVIUM_GOLDEN === 'write') writeFileSync(PAGE, page)
  expect(readFileSync(PAGE, 'utf8')).toBe(page)
})

const INTRODUCTION = `# Certified upstreams

What real servers did in a certification ([upstreams.md](../operate/upstreams.md#certify-an-upstream)). This page is written from the tables in
\`packages/gateway/src/upstreams/certified/\`. To add one: certify an upstream of the kind with your key, put the output of \`--json\` there, list it in
\`index.ts\`, and run \`TRIVIUM_GOLDEN=write npm test -- packages/gateway/src/upstreams/certified\`.

A model named \`scripted\` has weights that were written by hand, so that it gives a fixed answer to each check: such a table tells of the server's protocols, not of a model.
`

function sectionOf({ kind, server, date, trivium, models, checks }: Certificate): string {
  const parts = [...new Set(checks.map(({ part }) => part))]
  const rows = [...new Set(checks.map(({ check }) => check))]
  const cell = (part: string, row: string) =>
    checks.find((each) => each.part === part && each.check === row)?.result ?? ''
  const reasons = Map.groupBy(
    checks.filter(({ reason }) => reason !== null),
    ({ check, reason }) => `${check}: ${reason}`,
  )
  const title = server ?? KINDS.get(kind)?.name
  return `## ${title}

Kind \`${kind}\`, ${date}, Trivium ${trivium}, with ${models.map(({ type, model }) => `the ${type} model \`${model}\``).join(', ')}.

| Check | ${parts.join(' | ')} |
|---|${parts.map(() => '---|').join('')}
${rows.map((row) => `| ${row} | ${parts.map((part) => cell(part, row)).join(' | ')} |`).join('\n')}

${[...reasons].map(([reason, each]) => `- ${reason} (${each.map(({ part }) => part).join(', ')})`).join('\n')}
`
}
