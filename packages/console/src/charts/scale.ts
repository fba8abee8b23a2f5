// Axes with round numbers. Pure.

/** A round number that is at least `most`, and the lines up to it. */
export function ticksFor(most: number, lines = 4): number[] {
  if (!(most > 0)) return [0]
  const raw = most / lines
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = power * ([1, 2, 2.5, 5, 10].find((each) => each * power >= raw) ?? 10)
  const count = Math.ceil(most / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}

/** As few digits as tell the lines apart. */
export function tickText(value: number, locale: string): string {
  return new Intl.NumberFormat(locale, {
    maximumSignificantDigits: 3,
    notation: value >= 10_000 ? 'compact' : 'standard',
  }).format(value)
}

const USUAL_ROOM = 56
/** The width of a digit of the axis, in fonts that are wide. */
const DIGIT_WIDTH = 8

/** Left of the lines, in pixels: room for the longest label, such as `0.000075` of a gateway with little traffic. */
export const axisRoom = (labels: readonly string[]): number =>
  Math.max(USUAL_ROOM, ...labels.map(({ length }) => length * DIGIT_WIDTH + 16))

/** Which of `count` labels fit if each needs `room` of the `width`. */
export function labelled(count: number, width: number, room: number): (index: number) => boolean {
  const every = Math.max(1, Math.ceil((count * room) / Math.max(width, 1)))
  return (index) => (count - 1 - index) % every === 0
}
