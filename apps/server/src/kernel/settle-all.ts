/**
 * Waits for every step, also when one fails, so that nothing goes on behind the back of whoever cleans up. Of several
 * failures the first of the list is thrown, as if the steps had run one after the other.
 */
export async function settleAll<const Steps extends readonly unknown[]>(
  steps: Steps,
): Promise<{ -readonly [Key in keyof Steps]: Awaited<Steps[Key]> }> {
  await Promise.allSettled(steps)
  return Promise.all(steps)
}
