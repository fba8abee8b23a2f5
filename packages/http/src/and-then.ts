/**
 * Passes a value on: at once, or when its promise resolves. A promise that nobody needs costs more than most steps. `more`: further
 * arguments of `next`, which need no closure then.
 */
export const andThen = <T, U, A extends readonly unknown[]>(
  value: T | Promise<T>,
  next: (value: T, ...more: A) => U | Promise<U>,
  ...more: A
): U | Promise<U> => (value instanceof Promise ? whenResolved(value, next, more) : next(value, ...more))

/** A function of its own: the scope of its closure is needed only here. */
const whenResolved = <T, U, A extends readonly unknown[]>(
  value: Promise<T>,
  next: (value: T, ...more: A) => U | Promise<U>,
  more: A,
): Promise<U> => value.then((found) => next(found, ...more))
