// How much the process takes on at once. Above it a caller is told to come back; what runs is left alone.

export type Admission = {
  /** false: full. A request weighs the bytes of its body, known or feared. */
  enter(bytes: number): boolean
  leave(bytes: number): void
  readonly inFlight: number
  readonly bytes: number
  setLimits(limits: { inFlight: number; memoryBytes: number }): void
}

export function createAdmission(limits: { inFlight: number; memoryBytes: number }): Admission {
  let inFlight = 0
  let held = 0
  return {
    enter(bytes) {
      // A single body larger than the whole allowance still gets in when nothing else is running.
      if (inFlight >= limits.inFlight || (held > 0 && held + bytes > limits.memoryBytes)) return false
      inFlight++
      held += bytes
      return true
    },
    leave(bytes) {
      inFlight--
      held -= bytes
    },
    get inFlight() {
      return inFlight
    },
    get bytes() {
      return held
    },
    setLimits(next) {
      limits = next
    },
  }
}
