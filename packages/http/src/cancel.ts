// Ends a call early. A signal costs more to make than the rest of a short call's bookkeeping, so one is made only for
// those who cannot do without.

export class Cancel {
  isCancelled = false
  /** What is to be given up: whoever is at work for the call puts itself here. */
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
