// The text of `prices diff`: one block per model, and at the end what could not be compared.
import type { Difference } from '../../upstreams/prices/price-diff.ts'
import type { ComparedModel, PriceReport } from '../../upstreams/prices/price-report.ts'
import { align } from '../table.ts'

export function describePrices({ date, models, unknown, unused }: PriceReport): string {
  const parts = [`Built-in price list of ${date}. USD; tokens per million, tools per call.`]
  if (models.length === 0 && unknown.length === 0)
    parts.push('No models of a vendor are configured: nothing to compare.')
  parts.push(...models.map(describeModel))
  if (unknown.length > 0) {
    const names = unknown.map((each) => `  ${routeName(each)}`)
    parts.push(['Configured, but not in the list:', ...names].join('\n'))
  }
  if (unused.length > 0) {
    const vendors = Map.groupBy(unused, ({ vendor }) => vendor)
    const lines = [...vendors].map(
      ([vendor, all]) => `  ${vendor}: ${all.map((each) => each.upstream_model).join(', ')}`,
    )
    parts.push(['In the list, but not configured:', ...lines].join('\n'))
  }
  return `${parts.join('\n\n')}\n`
}

/** A model with the same name at the vendor is named once. */
const routeName = ({ model, upstream_model: upstream }: { model: string; upstream_model: string }): string =>
  model === upstream ? model : `${model} -> ${upstream}`

function describeModel({ vendor, note, differences, ...names }: ComparedModel): string {
  const name = `${routeName(names)} (${vendor})`
  const remark = note === null ? [] : [`  the list notes: ${note}`]
  if (differences.length === 0) return [`${name}: as in the list`, ...remark].join('\n')
  const rows = [['figure', 'yours', 'list', 'difference'], ...differences.map(cells)]
  return [name, ...align(rows, [false, true, true, true], '   ').map((row) => `  ${row}`), ...remark].join('\n')
}

function cells({ field, yours, list, percent }: Difference): string[] {
  const difference = percent === null ? '' : `${percent > 0 ? '+' : ''}${percent} %`
  return [field, yours ?? '-', list ?? '-', difference]
}
