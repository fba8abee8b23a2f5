/** Waits until something has come about; how long that takes is no test's business. */
export async function eventually(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 20_000
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`it never came to that: ${condition}`)
    await Bun.sleep(20)
  }
}
