// Cancels a call. Creating an AbortSignal costs more than the rest of a short call's bookkeeping, so it is created on demand.

export class Cancel {
  isCancelled = false
  /** What to cancel: the part that currently works for the call sets itself here. */
  target: { cancel(): void } | undefined
  #controller: AbortController | undefined

  cancel(): void {
    if (this.isCancelled) return
    this.isCancelled = true
    this.target?.cancel()
    this.#controller?.abort()
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.isCancelled) this.#controller.abort()
    }
    return this.#controller.signal
  }
}
