// docs/reference/certified.md
import { CERTIFICATES, type Certificate } from '@trivium/gateway/upstreams/certified/index.ts'
import { KINDS } from '@trivium/gateway/upstreams/kinds/index.ts'
import type { Generated } from '../generated.ts'
import { code, table, wrapped } from '../markdown.ts'

function certificateText({ kind, server, date, trivium, models, checks }: Certificate): string {
  const parts = [...new Set(checks.map(({ part }) => part))]
  const rows = [...new Set(checks.map(({ check }) => check))]
  const cell = (part: string, row: string) =>
    checks.find((each) => each.part === part && each.check === row)?.result ?? ''
  const reasons = Map.groupBy(
    checks.filter(({ reason }) => reason !== null),
    ({ check, reason }) => `${check}: ${reason}`,
  )
  const tried = models.map(({ type, model }) => `the ${type} model ${code(model)}`).join(', ')
  return [
    `## ${server ?? KINDS.get(kind)?.name}`,
    wrapped(`Kind ${code(kind)}, ${date}, Trivium ${trivium}, with ${tried}.`),
    wrapped(`Result: ${parts.map((part) => sumOf(part, checks)).join('; ')}.`),
    table(
      ['Check', ...parts],
      rows.map((row) => [row, ...parts.map((part) => cell(part, row))]),
    ),
    [...reasons]
      .map(([reason, each]) => wrapped(`- ${reason} (${each.map(({ part }) => part).join(', ')})`))
      .join('\n'),
  ].join('\n\n')
}

/** `chat: 13 passed, 1 failed, 2 not offered` */
function sumOf(part: string, checks: Certificate['checks']): string {
  const counts = Map.groupBy(
    checks.filter((each) => each.part === part),
    ({ result }) => result,
  )
  return `${part}: ${[...counts].map(([result, each]) => `${each.length} ${result}`).join(', ')}`
}

export const CERTIFIED_PAGE: readonly Generated[] = [
  {
    file: 'docs/reference/certified.md',
    section: 'certificates',
    text: () => CERTIFICATES.map(certificateText).join('\n\n'),
  },
]
