// docs/reference/metrics.md
import { METRICS } from '@trivium/gateway/observe/metrics/names.ts'
import type { Generated } from '../generated.ts'
import { code, codes, table } from '../markdown.ts'

export const METRICS_PAGE: readonly Generated[] = [
  {
    file: 'docs/reference/metrics.md',
    section: 'metrics',
    text: () =>
      table(
        ['Metric', 'Type', 'Labels', 'Meaning'],
        Object.values(METRICS).map(({ name, kind, labels, help }) => [code(name), kind, codes(labels), help]),
      ),
  },
]
