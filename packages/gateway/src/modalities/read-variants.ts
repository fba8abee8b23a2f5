// Prices of image and video models that differ by size, quality or resolution.
import type { Nanos } from '../money/amount.ts'
import { addMistake, type YamlValue } from '../yaml/document.ts'
import { entriesOf, quote } from '../yaml/fields.ts'
import { readUsd } from '../yaml/scalars.ts'

const MOST_VARIANTS = 256

export function readVariants(value: YamlValue | undefined, isVariant: (name: string) => boolean, example: string) {
  const variants = new Map<string, Nanos>()
  if (!value) return variants
  const entries = entriesOf(value, `variants: { ${example}: 0.17 }`)
  if (entries.length > MOST_VARIANTS)
    addMistake(value, `has ${entries.length} entries; at most ${MOST_VARIANTS} are allowed`)
  for (const [name, field] of entries) {
    const word = name.toLowerCase()
    const price = readUsd(field)
    if (!isVariant(word)) addMistake(field, `${quote(name)} is not a variant; write ${example}`)
    else if (variants.has(word)) addMistake(field, 'duplicate variant')
    else if (price !== undefined) variants.set(word, price)
  }
  return variants
}
