// Licenses are imported as text, which also works in the compiled executable.
declare module '*/NOTICE' {
  const text: string
  export default text
}
