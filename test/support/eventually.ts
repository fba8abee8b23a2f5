/** Polls until the condition holds. The limit only ends tests that hang. */
export async function eventually(condition: () => boolean | Promise<boolean>, limitMs = 50_000): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`the condition never held: ${condition}`)
    await Bun.sleep(20)
  }
}
