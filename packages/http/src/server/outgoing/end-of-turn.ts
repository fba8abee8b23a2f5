// What leaves at the end of this turn of the event loop: the pieces that the turn has brought for many clients are written one
// after the other. A reader that is woken by the first finds the rest there, so the system wakes it less often.

export type Flushed = { flush(): void }

const waiting: Flushed[] = []

/** `flush` is called in this turn. It must not throw: the others that wait would be left out. */
export function atEndOfTurn(writer: Flushed): void {
  if (waiting.push(writer) === 1) setImmediate(flushAll)
}

function flushAll(): void {
  // What a flush adds belongs to the next turn.
  for (const writer of waiting.splice(0)) writer.flush()
}
