import type { ModelRow } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { useNumber } from '../../ui/values.tsx'

/** What requests may ask for, in words. Limits that are not set are left out. */
export function useLimits({ limits }: ModelRow): { label: string; value: string }[] {
  const t = useTexts().models
  const number = useNumber()
  const show = (value: unknown): string => {
    if (typeof value === 'number') return number(value)
    if (Array.isArray(value)) return value.map(show).join(', ')
    return isRange(value) ? rangeOf(value) : String(value)
  }
  const rangeOf = (range: SizeRange): string => {
    const { min, max, multiple_of: step, max_ratio: ratio, min_pixels: least, max_pixels: most } = range
    return [
      t.sides(number(min), number(max)),
      ...(step === undefined ? [] : [t.multiplesOf(number(step))]),
      ...(ratio === undefined ? [] : [t.ratioUpTo(number(ratio))]),
      ...(least === undefined ? [] : [t.pixelsFrom(number(least))]),
      ...(most === undefined ? [] : [t.pixelsUpTo(number(most))]),
    ].join(', ')
  }
  return Object.entries(limits)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => ({
      label: t.limitNames[name] ?? name,
      value: name === 'seconds' && isPair(value) ? t.fromTo(number(value[0]), number(value[1])) : show(value),
    }))
}

/** Sides of an image in pixels. */
type SizeRange = {
  min: number
  max: number
  multiple_of?: number
  max_ratio?: number
  min_pixels?: number
  max_pixels?: number
}

const isRange = (value: unknown): value is SizeRange => typeof value === 'object' && value !== null && 'min' in value
const isPair = (value: unknown): value is [number, number] => Array.isArray(value) && value.length === 2
