// The engine adds a static method to Promise when it is first looked up. That changes the object, and all compiled code that
// relies on how it was is left: nearly every step of a request tests `instanceof Promise`. The first `Promise.allSettled`, in a
// background job a minute after the start, had the whole path of a request compiled again. So all of these methods are looked
// up before anything is compiled. Doing the same for other built-in objects made requests more expensive.

export function settlePromise(): void {
  for (const name of Object.getOwnPropertyNames(Promise)) Object.getOwnPropertyDescriptor(Promise, name)
}
