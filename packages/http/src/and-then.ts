/**
 * Passes a value on: at once, or when its promise resolves. A promise that nobody needs costs more than most steps. `more`: further
 * arguments of `next`, which need no closure then.
 */
export const andThen = <T, U, A extends readonly unknown[]>(
  value: T | Promise<T>,
  next: (value: T, ...more: A) => U | Promise<U>,
  ...more: A
): U | Promise<U> => (value instanceof Promise ? value.then((found) => next(found, ...more)) : next(value, ...more))
