// Figures of prices as lists show them.
import { ceilDiv, formatUsd, type Nanos } from '../money/amount.ts'

/** USD as decimal text, with the multiplier of a group. What has no figure is left out. */
export const shownFigures = (
  figures: readonly (readonly [name: string, figure: Nanos | undefined])[],
  multiplierMillionths: bigint,
): Record<string, string> =>
  Object.fromEntries(
    figures.flatMap(([name, figure]) =>
      figure === undefined ? [] : [[name, formatUsd(ceilDiv(figure * multiplierMillionths, 1_000_000n))]],
    ),
  )

/** The names that at least one of them has. */
export const namesOf = (...maps: (ReadonlyMap<string, unknown> | undefined)[]): string[] => [
  ...new Set(maps.flatMap((map) => [...(map?.keys() ?? [])])),
]

/** A multiplier is shown as a decimal like an amount: 1_500_000 millionths are 1.50. */
export const asAmount = (millionths: bigint | undefined): Nanos | undefined => millionths && millionths * 1000n
