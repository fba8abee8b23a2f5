// The engine adds a method to a built-in object, such as Promise, when it is first looked up. That changes the object, and all
// compiled code that relies on how it was is thrown away: nearly every step of a request tests `instanceof Promise`. The first
// `Promise.allSettled`, in a background job a minute after the start, had the whole path of a request compiled again.
// So all of these methods are looked up before anything is compiled.

const BUILTINS = [
  Promise,
  Promise.prototype,
  Object,
  Array,
  String,
  String.prototype,
  Number,
  BigInt,
  Date,
  JSON,
  Buffer,
]

export function settleBuiltins(): void {
  for (const builtin of BUILTINS)
    for (const name of Object.getOwnPropertyNames(builtin)) Object.getOwnPropertyDescriptor(builtin, name)
}
