// What a server must close when it stops, or when its start fails.

type Close = () => Promise<void> | void

export class Cleanup {
  readonly #steps: Close[] = []

  add(...steps: readonly Close[]): void {
    this.#steps.push(...steps)
  }

  /** Runs after all others. */
  addFirst(step: Close): void {
    this.#steps.unshift(step)
  }

  /** Runs the steps in reverse order. A step that fails does not keep the others from running. */
  async run(): Promise<void> {
    for (const close of this.#steps.splice(0).reverse()) {
      try {
        await close()
      } catch {
        // The process is exiting; the operating system releases what could not be closed.
      }
    }
  }
}
