// Paces streams. Streams of the same pace are spread over its milliseconds: those of real callers are not in step either.

/** Writes the next event; false: that was the last one. */
type Step = () => boolean

const groups = new Map<number, Step[][]>()

/** Calls `step` every `everyMs` until it returns false. */
export function pace(everyMs: number, step: Step): void {
  let slots = groups.get(everyMs)
  if (!slots) {
    slots = start(everyMs)
    groups.set(everyMs, slots)
  }
  slots.reduce((least, each) => (each.length < least.length ? each : least)).push(step)
}

function start(everyMs: number): Step[][] {
  const slots = Array.from({ length: everyMs }, (): Step[] => [])
  let at = 0
  setInterval(() => {
    at = (at + 1) % everyMs
    slots[at] = (slots[at] ?? []).filter((step) => step())
  }, 1)
  return slots
}
