/** Passes a value on: at once, or when its promise resolves. A promise that nobody needs costs more than most steps. */
export const andThen = <T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> =>
  value instanceof Promise ? value.then(next) : next(value)
