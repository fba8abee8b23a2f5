// How much the process takes on at once. Above it a caller is told to come back; what runs is left alone.

export type Admission = {
  /** undefined: full. A request weighs the bytes of its body, known or feared. */
  enter(bytes: number): Place | undefined
  readonly inFlight: number
  readonly bytes: number
  setLimits(limits: { inFlight: number; memoryBytes: number }): void
}

/** A place among the running requests. */
export type Place = {
  /** What the request weighs now: its body has been read, or is not needed any more. */
  resize(bytes: number): void
  /** Given back once, however often it is called. */
  leave(): void
}

export function createAdmission(limits: { inFlight: number; memoryBytes: number }): Admission {
  let inFlight = 0
  let held = 0

  function place(bytes: number): Place {
    let weight = bytes
    let left = false
    const resize = (bytes: number) => {
      if (left) return
      held += bytes - weight
      weight = bytes
    }
    return {
      resize,
      leave() {
        if (left) return
        resize(0)
        left = true
        inFlight--
      },
    }
  }

  return {
    enter(bytes) {
      // A single body larger than the whole allowance still gets in when nothing else is running.
      if (inFlight >= limits.inFlight || (held > 0 && held + bytes > limits.memoryBytes)) return undefined
      inFlight++
      held += bytes
      return place(bytes)
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
